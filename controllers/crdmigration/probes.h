// What the migration counts for /metrics. To count one more thing: a member here, its family in probes.cc,
// and one line where it happens. Safe from any thread.
#pragma once

#include <string_view>

#include "base/metrics.h"

namespace capstan::controllers::crdmigration {

enum class ObjectResult {
  Written,
  Failed,
};
std::string_view to_string(ObjectResult result);

struct Probes {
  explicit Probes(Metrics* metrics);  // null: nothing is counted

  PerEnum<Counter, ObjectResult, 2> objects = {};  // one per write of an object
};

}  // namespace capstan::controllers::crdmigration
