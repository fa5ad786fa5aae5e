// What is alike and what differs between the two kinds that a topology makes and that this room cleans up
// after: MachineDeployment and MachineSet. Used by observe.h and reconciler.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/names.h"
#include "controllers/shared/caches.h"

namespace capstan::controllers::topology {

template <typename T>
struct OwnedKind;

template <>
struct OwnedKind<api::MachineDeployment> {
  static constexpr std::string_view kFinalizer = api::finalizer::kMachineDeploymentTopology;
  static constexpr bool kHasHealthCheck = true;  // of its own name
  static runtime::Store<api::MachineDeployment>& cache(Caches& caches) { return caches.machine_deployments; }
};

template <>
struct OwnedKind<api::MachineSet> {
  static constexpr std::string_view kFinalizer = api::finalizer::kMachineSetTopology;
  static constexpr bool kHasHealthCheck = false;
  static runtime::Store<api::MachineSet>& cache(Caches& caches) { return caches.machine_sets; }
};

// The MachineDeployment whose MachineSets share templates with the object: itself, or the owner, which may be
// gone. Nothing where a MachineSet names none.
std::optional<std::string> deployment_of(const api::MachineDeployment& deployment);
std::optional<std::string> deployment_of(const api::MachineSet& set);

}  // namespace capstan::controllers::topology
