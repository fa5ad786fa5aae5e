// A regular expression of a schema, compiled once. Immutable; safe from any thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace capstan::apiserver {

class Pattern {
 public:
  // Null when the text is no regular expression.
  static std::shared_ptr<const Pattern> compile(const std::string& text);
  // Anywhere in the text, as JSON schema wants it. What takes too long to decide does not match.
  virtual bool found_in(std::string_view text) const = 0;
  virtual ~Pattern() = default;
};

}  // namespace capstan::apiserver
