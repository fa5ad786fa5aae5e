// What the migration remembers between turns, by the name of the CustomResourceDefinition: how far a pass has
// come, and for which generation all is done. Losing it costs requests, never correctness. Of the one worker.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "controllers/crdmigration/observation.h"

namespace capstan::controllers::crdmigration {

struct Remembered {
  Pass pass = {};
  int given_up = 0;                      // passes in a row, of that generation, in which objects were refused
  SteadyTime seen_since = {};            // the pass' generation
  std::vector<std::string> passed = {};  // the served versions of the last pass without a failure
  std::int64_t finished = 0;             // the generation for which nothing is left to be done
};
using Memory = std::map<std::string, Remembered>;

}  // namespace capstan::controllers::crdmigration
