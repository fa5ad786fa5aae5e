#include "controllers/machine/key_patterns.h"

#include <fmt/core.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

namespace capstan::controllers::machine {

struct KeyPatterns::Compiled {
  std::vector<std::regex> patterns = {};
};

Result<KeyPatterns> KeyPatterns::parse(std::string_view list) {
  auto compiled = std::make_shared<Compiled>();
  while (!list.empty()) {
    const std::size_t comma = list.find(',');
    const std::string pattern(list.substr(0, comma));
    list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    if (pattern.empty()) continue;
    try {
      compiled->patterns.emplace_back(pattern, std::regex::ECMAScript | std::regex::optimize);
    } catch (const std::regex_error& error) {
      return fail(Code::Invalid, fmt::format("regular expression \"{}\": {}", pattern, error.what()));
    }
  }
  KeyPatterns parsed;
  if (!compiled->patterns.empty()) parsed.compiled_ = std::move(compiled);
  return parsed;
}

bool KeyPatterns::match(std::string_view key) const {
  if (compiled_ == nullptr) return false;
  return std::ranges::any_of(compiled_->patterns, [&](const std::regex& pattern) {
    return std::regex_search(key.begin(), key.end(), pattern);
  });
}

}  // namespace capstan::controllers::machine
