// metav1.Condition, the deprecated v1beta1 condition beside it, and how one type is found in a list. Setting,
// summing up and mirroring conditions is api/conditions. Values.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "api/schema/field.h"

namespace capstan::api {

struct Condition {
  Text type = {};
  Text status = {};  // "True", "False", "Unknown"
  std::int64_t observed_generation = 0;
  Time last_transition_time = {};
  Text reason = {};
  FreeText message = {};
  UnknownFields unknown = {};
  bool operator==(const Condition&) const = default;
};

using Conditions = List<Condition>;

template <>
inline constexpr auto members<Condition> = std::array{
    member<&Condition::type>(
        "type", {.max_length = 316,
                 .pattern = "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
                            "(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$",
                 .required = true,
                 .doc = "What is observed, in CamelCase."}),
    member<&Condition::status>("status", {.one_of = "True|False|Unknown",
                                          .required = true,
                                          .doc = "Whether it holds: True, False or Unknown."}),
    member<&Condition::observed_generation>("observedGeneration",
                                            {.minimum = 0,
                                             .format = "int64",
                                             .doc = "metadata.generation the condition was computed for; "
                                                    "older than the object's means out of date."}),
    member<&Condition::last_transition_time>(
        "lastTransitionTime", {.format = "date-time",
                               .required = true,
                               .doc = "When the status last changed from one value to another."}),
    member<&Condition::reason>(
        "reason", {.min_length = 1,
                   .max_length = 1024,
                   .pattern = "^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$",
                   .required = true,
                   .doc = "Why the condition has this status, as one CamelCase word for programs."}),
    member<&Condition::message>(
        "message", {.max_length = 32768, .required = true, .doc = "The same for people; may be empty."}),
};

// The condition shape of v1beta1, kept under status.deprecated.v1beta1.
struct V1Beta1Condition {
  Text type = {};
  Text status = {};
  Text severity = {};
  Time last_transition_time = {};
  Text reason = {};
  FreeText message = {};
  UnknownFields unknown = {};
  bool operator==(const V1Beta1Condition&) const = default;
};

using V1Beta1Conditions = List<V1Beta1Condition>;

template <>
inline constexpr auto members<V1Beta1Condition> = std::array{
    member<&V1Beta1Condition::type>(
        "type",
        {.min_length = 1, .max_length = 256, .required = true, .doc = "What is observed, in CamelCase."}),
    member<&V1Beta1Condition::status>("status",
                                      {.required = true, .doc = "Whether it holds: True, False or Unknown."}),
    member<&V1Beta1Condition::severity>(
        "severity",
        {.max_length = 32, .doc = "How bad a False is: Error, Warning or Info; empty otherwise."}),
    member<&V1Beta1Condition::last_transition_time>(
        "lastTransitionTime", {.format = "date-time",
                               .required = true,
                               .doc = "When the status last changed from one value to another."}),
    member<&V1Beta1Condition::reason>("reason",
                                      {.min_length = 1,
                                       .max_length = 256,
                                       .doc = "Why the condition has this status, as one CamelCase word."}),
    member<&V1Beta1Condition::message>("message",
                                       {.min_length = 1, .max_length = 10240, .doc = "The same for people."}),
};

}  // namespace capstan::api
