// metav1.Condition and the deprecated v1beta1 condition beside it: each as a value to make and to change, as
// the list that objects hold, and as what reading such a list gives. Finding, setting, summing up and
// mirroring conditions is api/conditions. Values.
#pragma once

#include <array>
#include <functional>
#include <string_view>

#include "api/schema/field.h"
#include "api/schema/shared_list.h"

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

// As a list shows it: the members of a Condition, where they are shared.
template <>
struct ViewOf<Condition> {
  const Text& type;
  const Text& status;
  const std::int64_t& observed_generation;
  const Time last_transition_time;
  const Text& reason;
  const FreeText& message;
  const UnknownFields& unknown;

  ViewOf(const Condition& shared, Time time)
      : type(shared.type),
        status(shared.status),
        observed_generation(shared.observed_generation),
        last_transition_time(time),
        reason(shared.reason),
        message(shared.message),
        unknown(shared.unknown) {}
  ViewOf(const Condition& alone) : ViewOf(alone, alone.last_transition_time) {}
  operator Condition() const {
    return {.type = type,
            .status = status,
            .observed_generation = observed_generation,
            .last_transition_time = last_transition_time,
            .reason = reason,
            .message = message,
            .unknown = unknown};
  }
  friend bool operator==(const ViewOf& left, const ViewOf& right) {
    return left.type == right.type && left.status == right.status &&
           left.observed_generation == right.observed_generation &&
           left.last_transition_time == right.last_transition_time && left.reason == right.reason &&
           left.message == right.message && left.unknown == right.unknown;
  }
  friend bool operator==(const ViewOf& left, const Condition& right) { return left == ViewOf(right); }
};

using ConditionView = ViewOf<Condition>;
using ConditionPlace = Place<Condition>;
using Conditions = SharedList<Condition>;

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

// As a list shows it: the members of a V1Beta1Condition, where they are shared.
template <>
struct ViewOf<V1Beta1Condition> {
  const Text& type;
  const Text& status;
  const Text& severity;
  const Time last_transition_time;
  const Text& reason;
  const FreeText& message;
  const UnknownFields& unknown;

  ViewOf(const V1Beta1Condition& shared, Time time)
      : type(shared.type),
        status(shared.status),
        severity(shared.severity),
        last_transition_time(time),
        reason(shared.reason),
        message(shared.message),
        unknown(shared.unknown) {}
  ViewOf(const V1Beta1Condition& alone) : ViewOf(alone, alone.last_transition_time) {}
  operator V1Beta1Condition() const {
    return {.type = type,
            .status = status,
            .severity = severity,
            .last_transition_time = last_transition_time,
            .reason = reason,
            .message = message,
            .unknown = unknown};
  }
  friend bool operator==(const ViewOf& left, const ViewOf& right) {
    return left.type == right.type && left.status == right.status && left.severity == right.severity &&
           left.last_transition_time == right.last_transition_time && left.reason == right.reason &&
           left.message == right.message && left.unknown == right.unknown;
  }
  friend bool operator==(const ViewOf& left, const V1Beta1Condition& right) { return left == ViewOf(right); }
};

using V1Beta1ConditionView = ViewOf<V1Beta1Condition>;
using V1Beta1ConditionPlace = Place<V1Beta1Condition>;
using V1Beta1Conditions = SharedList<V1Beta1Condition>;

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

// By the texts that conditions differ in. Theirs are known already, so one round mixes them all.
template <>
struct std::hash<capstan::api::Condition> {
  std::size_t operator()(const capstan::api::Condition& condition) const noexcept {
    const auto generation = static_cast<std::uint64_t>(condition.observed_generation);
    return capstan::hash_combine(
        std::uint64_t{condition.type.hash()} << 32U | condition.reason.hash(),
        (std::uint64_t{condition.status.hash()} << 32U | condition.message.hash()) + generation);
  }
};

template <>
struct std::hash<capstan::api::V1Beta1Condition> {
  std::size_t operator()(const capstan::api::V1Beta1Condition& condition) const noexcept {
    return capstan::hash_combine(std::uint64_t{condition.type.hash()} << 32U | condition.reason.hash(),
                                 std::uint64_t{condition.status.hash()} << 32U | condition.message.hash());
  }
};
