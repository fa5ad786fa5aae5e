// Names we choose for objects we create, as the API server does for generateName: a base and five letters
// that can't form a word. The letters come from an injected NameGenerator, so that tests know them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/name_limits.h"
#include "base/randomness.h"

namespace capstan {

class NameGenerator {
 public:
  virtual ~NameGenerator() = default;
  virtual std::string suffix(std::size_t length) = 0;
};

class RandomNames final : public NameGenerator {
 public:
  explicit RandomNames(Randomness& randomness) : randomness_(randomness) {}
  std::string suffix(std::size_t length) override;

 private:
  Randomness& randomness_;
};

// base + suffix; the base gives way when both do not fit.
std::string generate_name(NameGenerator& names, std::string_view base,
                          std::size_t max_length = kMaxNameLength);

}  // namespace capstan
