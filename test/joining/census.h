// What many seeds together have to have played: a simulation that never came to it promises nothing of it.
// Pure.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace capstan::joining {

// So many seeds come to everything.
inline constexpr std::int64_t kSeedsForAll = 200;

// One sentence for each of what people and mishaps do that is not among these.
std::vector<std::string> acts_that_lack(const std::map<std::string, std::uint64_t>& acts);

}  // namespace capstan::joining
