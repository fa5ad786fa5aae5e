#include "runtime/event_correlator.h"

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/hash.h"

namespace capstan::runtime {
namespace {

constexpr std::string_view kCombined = "(combined from similar events): ";

bool is_combined_message(const api::Event& event) { return event.message.view().starts_with(kCombined); }

std::uint64_t hash_all(std::initializer_list<std::string_view> parts) {
  std::uint64_t state = 0;
  for (const auto part : parts) state = hash_combine(state, hash_bytes(part));
  return state;
}

}  // namespace

EventCorrelator::Key EventCorrelator::object_of(const api::Event& event) {
  const api::ObjectReference& object = event.involved_object;
  return hash_all({event.source.component.view(), object.kind.view(), object.namespace_.view(),
                   object.name.view(), object.uid.str(), object.api_version.view(),
                   object.field_path.view()});
}

// Alike but for the message.
EventCorrelator::Key EventCorrelator::kind_of(const api::Event& event) {
  return hash_combine(object_of(event),
                      hash_all({event.type.view(), event.reason.view(), event.reporting_component.view()}));
}

EventCorrelator::Key EventCorrelator::whole(const api::Event& event, bool combined) {
  return hash_combine(kind_of(event), hash_bytes(combined ? kCombined : event.message.view()));
}

std::optional<EventCorrelator::Correlated> EventCorrelator::correlate(api::Event event, SteadyTime now) {
  const bool combined = is_combined(event, now);
  if (combined) event.message = FreeText(std::string(kCombined) + event.message.str());
  Counted& known = counted_.at(whole(event, combined), limits_.remembered);
  const bool is_new = known.count == 0;
  event.count = ++known.count;
  if (is_new) {
    known.first = event.first_timestamp;
    known.name = event.metadata.name;
  } else {
    event.first_timestamp = known.first;
    event.metadata.name = known.name;
  }
  if (!may_talk(event, now)) return std::nullopt;
  return Correlated{.event = std::move(event), .is_new = is_new};
}

void EventCorrelator::sent(const Correlated& what) {
  Counted& known = counted_.at(whole(what.event, is_combined_message(what.event)), limits_.remembered);
  known.count = what.event.count;
  known.first = what.event.first_timestamp;
  known.name = what.event.metadata.name;
}

bool EventCorrelator::may_talk(const api::Event& event, SteadyTime now) {
  Bucket& bucket = buckets_.at(object_of(event), limits_.remembered);
  const double refilled = bucket.tokens ? std::chrono::duration<double>(now - bucket.filled) /
                                              std::chrono::duration<double>(limits_.refill)
                                        : 0;
  bucket.tokens = std::min<double>(limits_.burst, bucket.tokens.value_or(limits_.burst) + refilled);
  bucket.filled = now;
  if (*bucket.tokens < 1) return false;
  *bucket.tokens -= 1;
  return true;
}

bool EventCorrelator::is_combined(const api::Event& event, SteadyTime now) {
  Similar& similar = similar_.at(kind_of(event), limits_.remembered);
  if (now - similar.last > limits_.similar_within) similar.messages.clear();
  similar.last = now;
  similar.messages.insert(hash_bytes(event.message));
  if (similar.messages.size() < limits_.similar) return false;
  similar.messages.erase(similar.messages.begin());  // bounded: how many there were is all that counts
  return true;
}

}  // namespace capstan::runtime
