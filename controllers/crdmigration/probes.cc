#include "controllers/crdmigration/probes.h"

namespace capstan::controllers::crdmigration {
namespace {

constexpr std::array kObjectResults = {ObjectResult::Written, ObjectResult::Failed};

}  // namespace

std::string_view to_string(ObjectResult result) {
  switch (result) {
    case ObjectResult::Written: return "written";
    case ObjectResult::Failed: return "failed";
  }
  return {};
}

Probes::Probes(Metrics* metrics) {
  if (metrics == nullptr) return;
  objects = {
      metrics->counters("capstan_crd_migration_objects_total",
                        "Objects written so that they are stored in today's version, by result", {"result"}),
      kObjectResults};
}

}  // namespace capstan::controllers::crdmigration
