// Which instances of a pool with Machines go, which one is replaced, and how many are missing. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "infrastructure/controller/brakes.h"
#include "infrastructure/controller/pool/observation.h"

namespace capstan::infrastructure::pool {

struct Turnover {
  std::vector<Member> victims = {};
  std::size_t missing = 0;
  std::optional<Member> sick = {};  // to be replaced
  std::optional<Seconds> recheck = {};
};
Turnover turnover(const Observation& seen, std::size_t wanted);

// Takes out what the brakes hold. What that is, and why; empty: nothing.
std::string hold_back(const Brakes& brakes, Turnover& turnover);

}  // namespace capstan::infrastructure::pool
