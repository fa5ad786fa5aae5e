// What several kinds of cluster.x-k8s.io/v1beta2 are made of: references without a version, template
// metadata, condition gates, version counts and the condition list of the older API generation. Included by
// the kinds; plain values.
#pragma once

#include <array>
#include <optional>

#include "api/meta/condition.h"
#include "api/meta/object_meta.h"
#include "api/names.h"
#include "api/schema/field.h"
#include "api/schema/resource.h"

namespace capstan::api {

namespace pattern {
inline constexpr std::string_view kDns1123Subdomain =
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$";
inline constexpr std::string_view kKind = "^[a-zA-Z]([-a-zA-Z0-9]*[a-zA-Z0-9])?$";
inline constexpr std::string_view kConditionType =
    "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/"
    ")?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";
inline constexpr std::string_view kTaintKey =
    "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/"
    ")?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$";
inline constexpr std::string_view kLabelValue = "^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$";
inline constexpr std::string_view kGroupVersion =
    "^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\\/[a-z]([-a-z0-9]*[a-z0-9])?$";
inline constexpr std::string_view kRange = "^\\[[0-9]+-[0-9]+\\]$";
}  // namespace pattern

// Which versions of the Cluster API contract our own kinds keep.
inline constexpr std::array kContractLabels = {
    StaticLabel{.key = "cluster.x-k8s.io/v1beta1", .value = "v1beta1"},
    StaticLabel{.key = "cluster.x-k8s.io/v1beta2", .value = "v1beta2"},
};

// An object of a provider in the namespace of the object that refers to it. The API version is looked up at
// every use (api/contract/version.h), so a provider may move on while references stay as they are.
struct ContractRef {
  Text api_group = {};
  Text kind = {};
  Text name = {};
  UnknownFields unknown = {};
  bool operator==(const ContractRef&) const = default;
};
template <>
inline constexpr auto members<ContractRef> = std::array{
    member<&ContractRef::api_group>("apiGroup", {.min_length = 1,
                                                 .max_length = 253,
                                                 .pattern = pattern::kDns1123Subdomain,
                                                 .required = true,
                                                 .doc = "API group of the object, without a version."}),
    member<&ContractRef::kind>("kind", {.min_length = 1,
                                        .max_length = 63,
                                        .pattern = pattern::kKind,
                                        .required = true,
                                        .doc = "Kind of the object."}),
    member<&ContractRef::name>("name",
                               {.min_length = 1,
                                .max_length = 253,
                                .pattern = pattern::kDns1123Subdomain,
                                .required = true,
                                .doc = "Name of the object, in the namespace of the one that refers to it."}),
};

// Labels and annotations that a template gives to what is made from it.
struct TemplateMeta {
  TextMap labels = {};
  TextMap annotations = {};
  UnknownFields unknown = {};
  bool operator==(const TemplateMeta&) const = default;
};
template <>
inline constexpr ObjectRules object_rules<TemplateMeta> = {.min_properties = 1};
template <>
inline constexpr auto members<TemplateMeta> = std::array{
    member<&TemplateMeta::labels>("labels", {.doc = "Labels every object made from this template carries."}),
    member<&TemplateMeta::annotations>("annotations",
                                       {.doc = "Annotations every object made from this template carries."}),
};

namespace polarity {
inline constexpr std::string_view kPositive = "Positive";
inline constexpr std::string_view kNegative = "Negative";
}  // namespace polarity

// One more condition that a summary (Ready of a Machine, Available of a Cluster) has to take into account.
struct ConditionGate {
  Text condition_type = {};
  Text polarity = {};  // empty means Positive
  UnknownFields unknown = {};
  bool negative() const { return polarity == polarity::kNegative; }
  bool operator==(const ConditionGate&) const = default;
};
template <>
inline constexpr auto members<ConditionGate> = std::array{
    member<&ConditionGate::condition_type>(
        "conditionType", {.min_length = 1,
                          .max_length = 316,
                          .pattern = pattern::kConditionType,
                          .required = true,
                          .doc = "Type of the condition to look at. While the condition is missing "
                                 "it counts as Unknown."}),
    member<&ConditionGate::polarity>(
        "polarity", {.one_of = "Positive|Negative",
                     .doc = "Which status is the good one: Positive means True is good, Negative "
                            "means False is good. Positive when left out."}),
};

// How many replicas run one Kubernetes version.
struct VersionCount {
  Text version = {};
  std::optional<std::int32_t> replicas = {};
  UnknownFields unknown = {};
  bool operator==(const VersionCount&) const = default;
};
template <>
inline constexpr auto members<VersionCount> = std::array{
    member<&VersionCount::version>("version", {.min_length = 1,
                                               .max_length = 256,
                                               .required = true,
                                               .doc = "A Kubernetes version, as reported by the kubelets."}),
    member<&VersionCount::replicas>("replicas", {.minimum = 1, .doc = "How many replicas run that version."}),
};

// status.deprecated: what clients of the older API generation still expect to find.
template <typename Old>
struct Deprecated {
  Boxed<Old> v1beta1 = {};
  UnknownFields unknown = {};
  bool operator==(const Deprecated&) const = default;
};
template <typename Old>
inline constexpr auto members<Deprecated<Old>> = std::array{
    member<&Deprecated<Old>::v1beta1>(
        "v1beta1", {.doc = "Status fields of API version v1beta1. They go away together with that version."}),
};

// The status.deprecated.v1beta1 block of a kind with nothing but conditions and the last fatal error in it.
struct V1Beta1Status {
  V1Beta1Conditions conditions = {};
  Text failure_reason = {};
  FreeText failure_message = {};
  UnknownFields unknown = {};
  bool operator==(const V1Beta1Status&) const = default;
};

namespace field_doc {
inline constexpr std::string_view kV1Beta1Conditions = "Conditions in the v1beta1 form, with a severity.";
inline constexpr std::string_view kFailureReason =
    "One word for a problem that was thought to need a human. Set once, never cleared, acted upon by nobody.";
inline constexpr std::string_view kFailureMessage = "The same problem in words.";
inline constexpr std::string_view kDeprecated = "Status in older forms, kept for older clients.";
inline constexpr std::string_view kObservedGeneration =
    "The generation of the spec that this status speaks about.";
inline constexpr std::string_view kConditions =
    "What is known about the state of the object, one entry per aspect.";
inline constexpr std::string_view kClusterName =
    "Name of the Cluster this object belongs to. Can't be changed.";
inline constexpr std::string_view kMetadata = "Standard object metadata.";
inline constexpr std::string_view kSpec = "What is wanted.";
inline constexpr std::string_view kStatus = "What has been observed.";
}  // namespace field_doc

template <>
inline constexpr auto members<V1Beta1Status> = std::array{
    member<&V1Beta1Status::conditions>("conditions", {.doc = field_doc::kV1Beta1Conditions}),
    member<&V1Beta1Status::failure_reason>("failureReason", {.doc = field_doc::kFailureReason}),
    member<&V1Beta1Status::failure_message>(
        "failureMessage", {.min_length = 1, .max_length = 10240, .doc = field_doc::kFailureMessage}),
};

}  // namespace capstan::api
