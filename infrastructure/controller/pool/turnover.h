// Which instances of a pool with Machines go, which one is replaced, and how many are missing. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "infrastructure/controller/pool/observation.h"

namespace capstan::infrastructure::pool {

struct Turnover {
  std::vector<Member> victims = {};
  std::size_t missing = 0;
  std::optional<Member> sick = {};  // to be replaced
  std::optional<Seconds> recheck = {};
};
Turnover turnover(const Observation& seen, std::size_t wanted);

}  // namespace capstan::infrastructure::pool
