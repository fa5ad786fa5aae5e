// Sends the status that a report made, in one patch. Condition lists are shared with other controllers, so
// the patch is bound to the version it was made from; when another writer was faster, the object is read
// live, our conditions are merged into its lists and what else we changed is put on top: several controllers
// write the status of a Machine. Blocks as the client does.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <span>
#include <string_view>

#include "api/conditions/three_way.h"
#include "base/time.h"
#include "kube/merge_patch.h"
#include "kube/typed.h"

namespace capstan::controllers {

inline constexpr int kStatusTries = 5;

// The condition types this controller answers for.
struct OwnedConditions {
  std::span<const std::string_view> types = {};
  std::span<const std::string_view> v1beta1_types = {};  // those below status.deprecated
};

// The status of `latest` with what `after` changed of `before`, and nothing else.
template <typename T>
Result<T> with_changes(const T& latest, const T& before, const T& after) {
  const auto status_of = [](const T& object) {
    boost::json::value document = api::to_json(object);
    boost::json::object& members = document.as_object();
    return members.contains("status") ? members["status"] : boost::json::value(boost::json::object());
  };
  boost::json::value document = api::to_json(latest);
  boost::json::value status = status_of(latest);
  kube::apply_merge_patch(status, kube::merge_difference(status_of(before), status_of(after)));
  document.as_object()["status"] = std::move(status);
  T changed = latest;
  changed.status = TRY(api::from_json<T>(document)).status;
  return changed;
}

// What `after` makes of an object that is `latest` by now.
template <typename T>
Result<T> rebased_status(const T& latest, const T& before, const T& after, const OwnedConditions& owned,
                         Time now) {
  T rebased = TRY(with_changes(latest, before, after));
  rebased.status.conditions = TRY(api::conditions::merge_into(
      latest.status.conditions, {before.status.conditions, after.status.conditions, owned.types}));
  const auto v1beta1_conditions = [](const T& object) {
    using List = std::remove_cvref_t<decltype(object.status.deprecated->v1beta1->conditions)>;
    return object.status.deprecated && object.status.deprecated->v1beta1
               ? object.status.deprecated->v1beta1->conditions
               : List();
  };
  const auto was = v1beta1_conditions(before);
  const auto is = v1beta1_conditions(after);
  auto merged =
      TRY(api::conditions::merge_into(v1beta1_conditions(latest), {was, is, owned.v1beta1_types}, now));
  if (!merged.empty()) {
    rebased.status.deprecated.ensure().v1beta1.ensure().conditions = std::move(merged);
  }
  return rebased;
}

namespace detail {

// `send` patches the status of the first into that of the second.
template <kube::WritableKind T, typename Send>
auto send_status(kube::Client& client, const T& before, const T& after, const OwnedConditions& owned,
                 Time now, const Deadline& deadline, const Send& send) -> decltype(send(before, after)) {
  auto answer = send(before, after);
  for (int tries = 1; tries < kStatusTries; ++tries) {
    if (answer || answer.error().code != Code::Conflict) return answer;
    const T latest = TRY(kube::get<T>(client, kube::key_of(before), deadline));
    if (latest.metadata.uid != before.metadata.uid) return answer;
    const T wanted = TRY(rebased_status(latest, before, after, owned, now));
    answer = send(latest, wanted);
  }
  return answer;
}

}  // namespace detail

// Nothing when there was nothing to say. Conflict when the object was replaced by another one of its name, or
// after five tries; NotFound when it is gone.
template <kube::WritableKind T>
Result<std::optional<api::Written>> patch_status(kube::Client& client, const T& before, const T& after,
                                                 const OwnedConditions& owned, Time now,
                                                 const Deadline& deadline) {
  return detail::send_status(client, before, after, owned, now, deadline, [&](const T& from, const T& to) {
    return kube::patch_status(client, from, to, deadline);
  });
}

// The same for who acts upon what became of the object.
template <kube::WritableKind T>
Result<std::optional<T>> patch_status_and_read(kube::Client& client, const T& before, const T& after,
                                               const OwnedConditions& owned, Time now,
                                               const Deadline& deadline) {
  return detail::send_status(client, before, after, owned, now, deadline, [&](const T& from, const T& to) {
    return kube::patch_part(client, from, to, kube::Part::Status, kube::Lock::WhenArraysChange, deadline);
  });
}

}  // namespace capstan::controllers
