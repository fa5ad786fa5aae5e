#include "infrastructure/controller/machine/observation.h"

#include "api/driver/names.h"

namespace capstan::infrastructure::machine {

std::string_view data_secret_of(const Observation& seen) {
  if (seen.in_pool && !seen.pool) return {};
  const auto& bootstrap =
      seen.in_pool ? seen.pool->spec.machine_template.spec.bootstrap : seen.machine->spec.bootstrap;
  return bootstrap.data_secret_name ? bootstrap.data_secret_name->view() : std::string_view();
}

std::string_view version_for(const Observation& seen) {
  return seen.pool ? seen.pool->spec.machine_template.spec.version.view() : seen.machine->spec.version.view();
}

std::string_view failure_domain_for(const Observation& seen) {
  const auto& wished = seen.machine->spec.failure_domain;
  if (!wished.empty()) return wished.view();
  return seen.object->metadata.annotations.value_or_empty(api::driver::annotation::kFailureDomain);
}

std::string_view cluster_key_for(const Observation& seen) {
  return seen.driver_cluster ? seen.driver_cluster->spec.cluster_key.view() : std::string_view();
}

}  // namespace capstan::infrastructure::machine
