// The tables that say how a kind of v1beta1 becomes one of v1beta2 and back. A field that no row names keeps
// its path and its value. Filled by the kinds beside it, read by the converter (api/v1beta1/convert.h). Plain
// data.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "api/schema/field.h"
#include "api/schema/resource.h"

namespace capstan::api::v1beta1 {

// What happens to a value on its way. "Old" is v1beta1, "new" is v1beta2.
enum class Change : std::uint8_t {
  None,
  Dropped,         // the old version only; lost
  FromAnnotation,  // the new version only; comes back out of the annotation, which rows below others do not
                   // see
  Phase,           // the annotation's wins; Updating is Running to the old version
  Flag,            // old: false when absent. new: absent unless true, or false in the annotation
  Count,           // old: 0 when absent. new: absent unless it counts something, or 0 in the annotation
  FlagAlways,      // old: false when absent. new: always there
  Number,          // old: 0 when absent. new: always there
  Seconds,         // old: "1m30s". new: 90
  SecondsAlways,   // the same, and never absent
  ContractRef,     // old: ObjectReference. new: {apiGroup, kind, name}
  TemplateRef,     // old: ObjectReference. new: {apiVersion, kind, name}
  NodeRef,         // old: ObjectReference. new: {name}
  FailureDomains,  // old: an object by name. new: a list, sorted by name
  Within,          // an object at one path in both; `items` says what happens below it
  Each,            // a list; `items` says what happens within its elements
  Collected,       // the same, and an empty list is absent
};

struct Row {
  std::string_view old_path = {};  // "spec.strategy.rollingUpdate.deletePolicy"
  std::string_view new_path = {};
  Change change = Change::None;
  std::span<const Row> items = {};
};

struct Kind {
  const TypeInfo* old_type = nullptr;
  const TypeInfo* new_type = nullptr;
  std::span<const Row> rows = {};
  bool annotated = false;              // the old version carries cluster.x-k8s.io/conversion-data
  bool cluster_in_label = false;       // the old version has no spec.clusterName, but a label
  std::string_view always_there = {};  // an object the new version always has, however empty
};

}  // namespace capstan::api::v1beta1
