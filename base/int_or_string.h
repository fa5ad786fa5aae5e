// IntOrString: a count or a percentage of one, as maxSurge and maxUnavailable are written ("25%", 1). Plain
// value; rounding is exactly Kubernetes'.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "base/result.h"
#include "base/text.h"

namespace capstan {

class IntOrString {
 public:
  constexpr IntOrString() = default;
  constexpr explicit IntOrString(std::int32_t number) : number_(number) {}
  constexpr explicit IntOrString(Text text) : text_(std::move(text)), is_string_(true) {}

  constexpr bool is_string() const { return is_string_; }
  constexpr std::int32_t number() const { return number_; }  // zero for a string
  constexpr const Text& text() const { return text_; }       // empty for a number
  std::string to_string() const { return is_string_ ? text_.str() : std::to_string(number_); }

  bool operator==(const IntOrString&) const = default;
  auto operator<=>(const IntOrString&) const = default;

 private:
  Text text_ = {};
  std::int32_t number_ = 0;
  bool is_string_ = false;
};

enum class Rounding { Down, Up };

// A number as it is, a percentage of `total`; any other string is Invalid. Results beyond 32 bits become the
// nearest end.
Result<std::int32_t> scaled_value(const IntOrString& value, std::int32_t total, Rounding rounding);

}  // namespace capstan
