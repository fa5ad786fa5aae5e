// A small kind and a projection, with a field of every type: what the tests of this folder decode and encode.
#pragma once

#include <array>

#include "api/meta/condition.h"
#include "api/meta/label_selector.h"
#include "api/meta/object_meta.h"
#include "api/schema/field.h"
#include "api/schema/resource.h"

namespace capstan::api {

struct SampleTaint {
  Text key = {};
  Text effect = {};
  Text value = {};
  UnknownFields unknown = {};
  bool operator==(const SampleTaint&) const = default;
};
template <>
inline constexpr auto members<SampleTaint> = std::array{
    member<&SampleTaint::key>("key",
                              {.min_length = 1, .max_length = 20, .required = true, .doc = "Its key."}),
    member<&SampleTaint::effect>(
        "effect", {.one_of = "NoSchedule|NoExecute", .required = true, .doc = "What it does."}),
    member<&SampleTaint::value>("value", {.min_length = 1, .doc = "Its value."}),
};

struct SampleDeletion {
  std::optional<std::int32_t> timeout_seconds = {};
  Text order = {};
  UnknownFields unknown = {};
  bool operator==(const SampleDeletion&) const = default;
};
template <>
inline constexpr auto members<SampleDeletion> = std::array{
    member<&SampleDeletion::timeout_seconds>(
        "timeoutSeconds", {.minimum = 0, .default_json = "10", .doc = "How long to wait; 0 waits forever."}),
    member<&SampleDeletion::order>(
        "order", {.one_of = "Newest|Oldest", .default_json = "\"Oldest\"", .doc = "Who first."}),
};
template <>
inline constexpr ObjectRules object_rules<SampleDeletion> = {.min_properties = 1};

inline constexpr std::array kUniqueTaints{
    CelRule{.rule = "self.all(x, self.exists_one(y, x == y))", .message = "entries must be unique"}};

struct SampleSpec {
  Text cluster_name = {};
  std::optional<std::int32_t> replicas = {};
  std::int64_t serial = 0;
  std::optional<bool> paused = {};
  bool strict = false;
  std::optional<IntOrString> max_surge = {};
  SampleDeletion deletion = {};
  std::vector<SampleTaint> taints = {};
  std::vector<Text> names = {};
  TextMap attributes = {};
  LabelSelector selector = {};
  std::optional<LabelSelector> pods = {};
  RawJson topology = {};
  UnknownFields unknown = {};
  bool operator==(const SampleSpec&) const = default;
};
template <>
inline constexpr auto members<SampleSpec> = std::array{
    member<&SampleSpec::cluster_name>(
        "clusterName",
        {.min_length = 1, .max_length = 63, .required = true, .doc = "The cluster it belongs to."}),
    member<&SampleSpec::replicas>("replicas", {.doc = "How many."}),
    member<&SampleSpec::serial>("serial", {.doc = "A number."}),
    member<&SampleSpec::paused>("paused", {.doc = "Whether to leave it alone."}),
    member<&SampleSpec::strict>("strict", {.doc = "A switch."}),
    member<&SampleSpec::max_surge>("maxSurge", {.doc = "How many more."}),
    member<&SampleSpec::deletion>("deletion", {.doc = "How it goes."}),
    member<&SampleSpec::taints>("taints", {.min_items = 1,
                                           .max_items = 3,
                                           .list_keys = "key|effect",
                                           .cel = kUniqueTaints,
                                           .doc = "What keeps others away."}),
    member<&SampleSpec::names>("names", {.max_items = 4,
                                         .items = {.min_length = 1, .max_length = 10, .pattern = "^[a-z]+$"},
                                         .list = ListType::Atomic,
                                         .doc = "Some names."}),
    member<&SampleSpec::attributes>("attributes", {.doc = "Free words."}),
    member<&SampleSpec::selector>("selector", {.required = true, .doc = "Which ones."}),
    member<&SampleSpec::pods>("pods", {.doc = "Which pods."}),
    member<&SampleSpec::topology>("topology", {.preserve_unknown = true, .doc = "Anything."}),
};

struct SampleStatus {
  Conditions conditions = {};
  Boxed<SampleTaint> last_taint = {};
  Time last_updated = {};
  MicroTime renewed = {};
  std::int64_t observed_generation = 0;
  UnknownFields unknown = {};
  bool operator==(const SampleStatus&) const = default;
};
template <>
inline constexpr auto members<SampleStatus> = std::array{
    member<&SampleStatus::conditions>(
        "conditions", {.max_items = 32, .list_keys = "type", .doc = "What is observed of it."}),
    member<&SampleStatus::last_taint>("lastTaint", {.doc = "The newest."}),
    member<&SampleStatus::last_updated>("lastUpdated", {.doc = "When."}),
    member<&SampleStatus::renewed>("renewed", {.doc = "When, to the microsecond."}),
    member<&SampleStatus::observed_generation>("observedGeneration",
                                               {.minimum = 1, .doc = "Which spec was seen."}),
};
template <>
inline constexpr ObjectRules object_rules<SampleStatus> = {.min_properties = 1};

struct Sample {
  ObjectMeta metadata = {};
  SampleSpec spec = {};
  SampleStatus status = {};
  UnknownFields unknown = {};
  bool operator==(const Sample&) const = default;
};
template <>
inline constexpr auto members<Sample> = std::array{
    member<&Sample::metadata>("metadata"),
    member<&Sample::spec>("spec", {.required = true, .doc = "What is wanted."}),
    member<&Sample::status>("status", {.doc = "What is observed."}),
};
inline constexpr std::array kSampleColumns{
    Column{.name = "Cluster", .json_path = ".spec.clusterName", .description = "Its cluster"},
    Column{.name = "Age", .json_path = ".metadata.creationTimestamp", .type = "date"},
    Column{.name = "Paused", .json_path = ".spec.paused", .type = "boolean", .priority = 10},
};
inline constexpr std::array kSampleLabels{StaticLabel{.key = "example.dev/v1", .value = "v1"}};
template <>
inline constexpr ResourceInfo resource<Sample> = {
    .group = "example.dev",
    .version = "v1",
    .kind = "Sample",
    .plural = "samples",
    .short_names = "sa|smp",
    .categories = "examples",
    .columns = kSampleColumns,
    .status_subresource = true,
    .scale = {.spec_replicas_path = ".spec.replicas", .status_replicas_path = ".status.replicas"},
    .labels = kSampleLabels,
    .doc = "Sample is for tests.",
};

// Fields of the same object for another reader: no bag, so it can't be encoded.
struct SampleView {
  ObjectMeta metadata = {};
  struct Spec {
    Text cluster_name = {};
  } spec = {};
};
template <>
inline constexpr auto members<SampleView::Spec> =
    std::array{member<&SampleView::Spec::cluster_name>("clusterName")};
template <>
inline constexpr auto members<SampleView> =
    std::array{member<&SampleView::metadata>("metadata"), member<&SampleView::spec>("spec")};

}  // namespace capstan::api
