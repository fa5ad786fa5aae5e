// DriverMachineTemplate: what MachineSets and control planes clone DriverMachines from. Has no controller; a
// plain value.
#pragma once

#include "api/driver/driver_machine.h"

namespace capstan::api {

struct DriverMachineTemplateResource {
  TemplateMeta metadata = {};
  DriverMachineSpec spec = {};
  UnknownFields unknown = {};
  bool operator==(const DriverMachineTemplateResource&) const = default;
};
// A clone with another VM's identity would take that VM for its own.
inline constexpr std::array kTemplateHasNoIdentity = {
    CelRule{.rule = "!has(self.instanceKey) && !has(self.providerID) && !has(self.account)",
            .message = "a template names no VM: leave out instanceKey, providerID and account"},
};
template <>
inline constexpr auto members<DriverMachineTemplateResource> = std::array{
    member<&DriverMachineTemplateResource::metadata>(
        "metadata", {.doc = "Labels and annotations of the DriverMachines."}),
    member<&DriverMachineTemplateResource::spec>(
        "spec", {.required = true, .cel = kTemplateHasNoIdentity, .doc = "Spec of the DriverMachines."}),
};

struct DriverMachineTemplateSpec {
  DriverMachineTemplateResource template_ = {};
  UnknownFields unknown = {};
  bool operator==(const DriverMachineTemplateSpec&) const = default;
};
template <>
inline constexpr auto members<DriverMachineTemplateSpec> = std::array{
    member<&DriverMachineTemplateSpec::template_>(
        "template", {.required = true, .doc = "What DriverMachines are made from."}),
};

// Quantities are strings here: cluster-autoscaler passes over a map in which one of them is a number.
inline constexpr Rules kCapacityRules = {
    .max_properties = 64,
    .items = {.max_length = 32, .pattern = R"(^[0-9]+(\.[0-9]+)?([mkMGTPE]|[KMGTPE]i|[eE][0-9]+)?$)"},
    .doc =
        "What a Node that comes of it has, as quantities by the names of resources. Autoscalers that start "
        "from zero read it; no controller of ours writes it."};

struct DriverMachineTemplateStatus {
  TextMap capacity = {};
  UnknownFields unknown = {};
  bool operator==(const DriverMachineTemplateStatus&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<DriverMachineTemplateStatus> = {.min_properties = 1};
template <>
inline constexpr auto members<DriverMachineTemplateStatus> = std::array{
    member<&DriverMachineTemplateStatus::capacity>("capacity", kCapacityRules),
};

struct DriverMachineTemplate {
  ObjectMeta metadata = {};
  DriverMachineTemplateSpec spec = {};
  DriverMachineTemplateStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const DriverMachineTemplate&) const = default;
};
inline constexpr std::array kDriverMachineTemplateColumns = {
    Column{.name = "Class", .json_path = ".spec.template.spec.class", .description = "Size of the VMs"},
    Column{.name = "Age",
           .json_path = ".metadata.creationTimestamp",
           .type = "date",
           .description = "Time since creation"},
};
template <>
inline constexpr ResourceInfo resource<DriverMachineTemplate> = {.group = group::kInfrastructure,
                                                                 .version = driver::kVersion,
                                                                 .kind = driver::kind::kDriverMachineTemplate,
                                                                 .plural = "drivermachinetemplates",
                                                                 .categories = kCategory,
                                                                 .columns = kDriverMachineTemplateColumns,
                                                                 .status_subresource = true,
                                                                 .labels = driver::kContractLabels,
                                                                 .doc = "What DriverMachines are made from."};
template <>
inline constexpr auto members<DriverMachineTemplate> = std::array{
    member<&DriverMachineTemplate::metadata>("metadata", {.doc = field_doc::kMetadata}),
    member<&DriverMachineTemplate::spec>("spec", {.required = true, .doc = field_doc::kSpec}),
    member<&DriverMachineTemplate::status>("status", {.doc = field_doc::kStatus}),
};

}  // namespace capstan::api
