#include "controllers/machinepool/infra_memory.h"

#include <optional>

#include "runtime/store.h"

namespace capstan::controllers::machinepool {

InfraFinding InfraMemory::read(const ExternalSeen& infra, const api::MachinePool& pool) {
  if (!infra.found()) return read_infra(infra, pool);
  const kube::ObjectKey key = runtime::key_of(pool);
  auto remembered = known_.with([&](const auto& all) -> std::optional<InfraFinding> {
    const auto found = all.find(key);
    if (found == all.end()) return std::nullopt;
    const Known& known = found->second;
    const bool same = known.object == infra.object && known.contract == infra.contract &&
                      known.right_of == infra.right_of && known.pool == pool.metadata.uid &&
                      known.cluster == pool.spec.cluster_name;
    return same ? std::optional(known.finding) : std::nullopt;
  });
  if (remembered) return std::move(*remembered);
  InfraFinding finding = read_infra(infra, pool);
  known_.with([&](auto& all) {
    all[key] = {.object = infra.object,
                .contract = infra.contract,
                .right_of = infra.right_of,
                .pool = pool.metadata.uid,
                .cluster = pool.spec.cluster_name,
                .finding = finding};
  });
  return finding;
}

void InfraMemory::forget(const kube::ObjectKey& pool) {
  known_.with([&](auto& all) { all.erase(pool); });
}

}  // namespace capstan::controllers::machinepool
