// Event (core/v1): what we report to users about an object. Written by runtime/events; a plain value.
#pragma once

#include "api/core/object_reference.h"
#include "api/meta/object_meta.h"
#include "api/schema/resource.h"

namespace capstan::api {

namespace event_type {
inline constexpr std::string_view kNormal = "Normal";
inline constexpr std::string_view kWarning = "Warning";
}  // namespace event_type

struct EventSource {
  Text component = {};
  Text host = {};
  UnknownFields unknown = {};
  bool operator==(const EventSource&) const = default;
};
template <>
inline constexpr auto members<EventSource> = std::array{
    member<&EventSource::component>("component"),
    member<&EventSource::host>("host"),
};

struct Event {
  ObjectMeta metadata = {};
  ObjectReference involved_object = {};
  Text reason = {};
  FreeText message = {};
  EventSource source = {};
  Time first_timestamp = {};
  Time last_timestamp = {};
  std::int32_t count = 0;
  Text type = {};
  Text reporting_component = {};
  Text reporting_instance = {};
  UnknownFields unknown = {};
  bool operator==(const Event&) const = default;
};
template <>
inline constexpr ResourceInfo resource<Event> = {.version = "v1", .kind = "Event", .plural = "events"};
template <>
inline constexpr auto members<Event> = std::array{
    member<&Event::metadata>("metadata"),
    member<&Event::involved_object>("involvedObject", {.required = true}),
    member<&Event::reason>("reason"),
    member<&Event::message>("message"),
    member<&Event::source>("source"),
    member<&Event::first_timestamp>("firstTimestamp"),
    member<&Event::last_timestamp>("lastTimestamp"),
    member<&Event::count>("count"),
    member<&Event::type>("type"),
    member<&Event::reporting_component>("reportingComponent"),
    member<&Event::reporting_instance>("reportingInstance"),
};

}  // namespace capstan::api
