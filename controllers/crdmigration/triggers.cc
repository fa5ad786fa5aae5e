#include <algorithm>
#include <array>

#include "controllers/crdmigration/reconciler.h"
#include "runtime/triggers.h"

namespace capstan::controllers::crdmigration {
namespace {

constexpr std::array<std::string_view, 9> kDefinitions = {
    "clusters.cluster.x-k8s.io",          "machinedeployments.cluster.x-k8s.io",
    "machinedrainrules.cluster.x-k8s.io", "machinehealthchecks.cluster.x-k8s.io",
    "machinepools.cluster.x-k8s.io",      "machines.cluster.x-k8s.io",
    "machinesets.cluster.x-k8s.io",       "ipaddressclaims.ipam.cluster.x-k8s.io",
    "ipaddresses.ipam.cluster.x-k8s.io"};

}  // namespace

bool is_migrated(std::string_view definition) {
  return std::ranges::find(kDefinitions, definition) != kDefinitions.end();
}

void Reconciler::add_triggers(runtime::Queue& queue) {
  runtime::trigger<api::CustomResourceDefinition>(
      deps_.caches.crds, queue,
      [](const runtime::Change<api::CustomResourceDefinition>& change) -> std::vector<kube::ObjectKey> {
        if (!is_migrated(change.object().metadata.name.view())) return {};
        return {runtime::key_of(change.object())};
      });
}

}  // namespace capstan::controllers::crdmigration
