// The regular expressions of --additional-sync-machine-labels and --additional-sync-machine-annotations:
// which keys of a Machine also go to its Node. Of Go's syntax the part that ECMAScript shares is understood;
// a pattern matches anywhere in the key. A value; matching is safe from any thread.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"

namespace capstan::controllers::machine {

class KeyPatterns {
 public:
  KeyPatterns() = default;  // matches nothing
  // Comma separated, as the flag has it. Invalid names the pattern that can't be read.
  static Result<KeyPatterns> parse(std::string_view list);

  bool match(std::string_view key) const;

 private:
  struct Compiled;
  std::shared_ptr<const Compiled> compiled_;
};

}  // namespace capstan::controllers::machine
