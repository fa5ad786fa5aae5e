// The spec of a Machine and of the templates Machines are made from, in v1beta1. Included by the kinds; plain
// data.
#pragma once

#include "api/v1beta1/common.h"

namespace capstan::api::v1beta1 {

inline constexpr std::array kBootstrapMembers = {
    field("configRef", kReferencePointer,
          {.doc = "The bootstrap provider's object that produces the bootstrap data, or the template of such "
                  "objects."}),
    like<MachineBootstrap>("dataSecretName"),
};
inline constexpr TypeInfo kBootstrap = object(kBootstrapMembers);

inline constexpr std::array kMachineSpecMembers = {
    always(like<MachineSpec>("clusterName")),
    always(as(kBootstrap, like<MachineSpec>("bootstrap"))),
    always(as(kReference, like<MachineSpec>("infrastructureRef"))),
    as(kTextPointer, like<MachineSpec>("version")),
    as(kTextPointer, like<MachineSpec>("providerID")),
    as(kTextPointer, like<MachineSpec>("failureDomain")),
    as(kOldGates, unbounded(like<MachineSpec>("readinessGates"))),
    field("nodeDrainTimeout", kDurationPointer,
          {.doc = "How long to go on draining the Node before deletion moves on, as 10m. 0s waits forever."}),
    field("nodeVolumeDetachTimeout", kDurationPointer,
          {.doc = "How long to wait for volumes to be detached from the Node, as 10m. 0s waits forever."}),
    field("nodeDeletionTimeout", kDurationPointer,
          {.doc = "How long after the start of the deletion to keep trying to delete the Node object, as "
                  "10s. 0s tries "
                  "forever."}),
    like<MachineSpec>("taints"),
};
inline constexpr TypeInfo kMachineSpec = object(kMachineSpecMembers);

inline constexpr std::array kTemplateMetaMembers = {
    like<TemplateMeta>("labels"),
    like<TemplateMeta>("annotations"),
};
inline constexpr TypeInfo kTemplateMeta = object(kTemplateMetaMembers);
inline constexpr std::array kTemplateMembers = {
    always(as(kTemplateMeta, like<MachineTemplate>("metadata"))),
    always(optional(as(kMachineSpec, like<MachineTemplate>("spec")))),
};
inline constexpr TypeInfo kTemplate = object(kTemplateMembers);

inline constexpr Row kDrainRow = {.old_path = "nodeDrainTimeout",
                                  .new_path = "deletion.nodeDrainTimeoutSeconds",
                                  .change = Change::Seconds};
inline constexpr Row kDetachRow = {.old_path = "nodeVolumeDetachTimeout",
                                   .new_path = "deletion.nodeVolumeDetachTimeoutSeconds",
                                   .change = Change::Seconds};
inline constexpr Row kNodeGoneRow = {.old_path = "nodeDeletionTimeout",
                                     .new_path = "deletion.nodeDeletionTimeoutSeconds",
                                     .change = Change::Seconds};
inline constexpr std::array kMachineSpecRows = {
    Row{.old_path = "bootstrap.configRef", .new_path = "bootstrap.configRef", .change = Change::ContractRef},
    Row{.old_path = "infrastructureRef", .new_path = "infrastructureRef", .change = Change::ContractRef},
    kDrainRow,
    kDetachRow,
    kNodeGoneRow,
};
inline constexpr Row kTemplateRow = {.old_path = "spec.template.spec",
                                     .new_path = "spec.template.spec",
                                     .change = Change::Within,
                                     .items = kMachineSpecRows};
inline constexpr Row kTemplateMinReadyRow = {.old_path = "spec.minReadySeconds",
                                             .new_path = "spec.template.spec.minReadySeconds"};

}  // namespace capstan::api::v1beta1
