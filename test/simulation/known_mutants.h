// The mutants of simulated worlds, each with the promise that must notice it: of the fleet a safeguard that
// is taken away (base/safeguards.h), of the toy a rule that its controller leaves out. A promise is named by
// words of its breach; '|' separates alternatives. Constants only.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "base/safeguards.h"
#include "test/simulation/fleet_clumsy.h"
#include "test/simulation/toy_controller.h"

namespace capstan::simulation {

struct ToyMutant {
  Mutant mutant = Mutant::None;
  std::string_view promise = {};
};
inline constexpr std::array kToyMutants = {ToyMutant{Mutant::NoGate, "and the last was made for"},
                                           ToyMutant{Mutant::ImpatientGate, "and the last was made for"},
                                           ToyMutant{Mutant::ActsWhenOverdue, "and the last was made for"},
                                           ToyMutant{Mutant::ActsUnsynced, "and the last was made for"},
                                           ToyMutant{Mutant::ForgetsDeletions, "no convergence"},
                                           ToyMutant{Mutant::CountsLivingOnly, "and the last was made for"}};

struct FleetMutant {
  Safeguard safeguard = {};
  std::string_view promise = {};
  std::optional<ClumsyAct> act = {};  // that it takes
};
// Of a life cycle, beside kSafeguards.
inline constexpr std::array kLifecycleOfFleets = {Safeguard::ReplacementLimit, Safeguard::Preservation};
// Of brakes.
inline constexpr std::array kBrakesOfFleets = {Safeguard::Freeze,        Safeguard::Ceiling,
                                               Safeguard::ApiLoss,       Safeguard::Windows,
                                               Safeguard::DeletionGuard, Safeguard::FleetLimits};
inline constexpr std::array kFleetMutants = {
    FleetMutant{Safeguard::ConsistencyGate, "were wanted at most"},
    FleetMutant{Safeguard::CreateExpectation, "were wanted at most"},
    FleetMutant{Safeguard::OwnerUid, "by a namesake of its owner"},
    FleetMutant{Safeguard::InstanceKey, "two VMs"},
    FleetMutant{Safeguard::ArrayVersions, "lost the finalizer of a stranger"},
    FleetMutant{Safeguard::SecondLook, "was deleted while its VM runs| Nodes, "},
    FleetMutant{Safeguard::SharedCause, "fell silent together"},
    FleetMutant{Safeguard::Evictions, "and its budget wants"},
    FleetMutant{Safeguard::PoolDrain, "which its pool gave up before its time"},
    FleetMutant{Safeguard::LiveList, "was deleted while its VM runs|the pool has| Nodes, "},
    FleetMutant{Safeguard::NodeUid, "was deleted while its VM runs| Nodes, "},
    FleetMutant{Safeguard::InFlight, "remediations in flight"},
    FleetMutant{Safeguard::OutOfReach, "nobody has seen its Node|after a restart out of reach"},
    FleetMutant{Safeguard::Finishing, "no convergence"},
    FleetMutant{Safeguard::RemediationRequest, "of the living Machine", ClumsyAct::RemediateByTemplate},
    FleetMutant{Safeguard::LostFinalizers, "has no finalizer", ClumsyAct::StripFinalizers},
    FleetMutant{Safeguard::VmClaims, "was removed, which nobody deletes", ClumsyAct::CopyInfrastructure},
    FleetMutant{Safeguard::OrphanFinalizer, "that stayed", ClumsyAct::OrphanMachines},
    FleetMutant{Safeguard::ChildVersion, "was deleted, which has no owner", ClumsyAct::OrphanMachines},
    FleetMutant{Safeguard::ConfirmRelease, "a change of a selector released", ClumsyAct::ChangeSelector},
    FleetMutant{Safeguard::FirstOwner, "DriverCluster c was", ClumsyAct::CopyCluster},
    FleetMutant{Safeguard::Belonging, "and its Cluster was not", ClumsyAct::RenameCluster},
    FleetMutant{Safeguard::Claims, "of the living Machine", ClumsyAct::ShareProviderId},
    FleetMutant{Safeguard::UnreadableOwner, "which nobody owns and no cache shows",
                ClumsyAct::UnlabelDefinition},
    FleetMutant{Safeguard::UnreadableCounts, "were wanted at most", ClumsyAct::MistypeNumber},
    FleetMutant{Safeguard::CopiedProviderId, "which was made by hand, was written to",
                ClumsyAct::TypeProviderId},
    FleetMutant{Safeguard::Contests, "times in a minute", ClumsyAct::InsistOnLabel},
    FleetMutant{Safeguard::OtherKinds, "went before its VM", ClumsyAct::EditKind},
    FleetMutant{Safeguard::StillThere, "of the living Machine", ClumsyAct::RestoreMachine},
    FleetMutant{Safeguard::ReplacementLimit, "are being replaced"},
    FleetMutant{Safeguard::Preservation, "which is preserved until"},
    FleetMutant{Safeguard::Freeze, "while it was frozen"},
    FleetMutant{Safeguard::Ceiling, "above its ceiling"},
    FleetMutant{Safeguard::ApiLoss, "of its cluster was away"},
    FleetMutant{Safeguard::Windows, "after its window"},
    FleetMutant{Safeguard::DeletionGuard, "which nobody confirmed"},
    FleetMutant{Safeguard::FleetLimits, "and the FleetPolicy allows"}};
static_assert(kFleetMutants.size() == kSafeguards.size() + kLifecycleOfFleets.size() + kBrakesOfFleets.size(),
              "each safeguard has a promise that shows it");

}  // namespace capstan::simulation
