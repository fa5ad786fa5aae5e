// Typed sugar over the Client seam: structs of api/ in, structs out. Free templates, so that a fake
// implements the seam and nothing else. Every error says what was tried with which object. Block as the
// client does.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/meta/written.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "base/try.h"
#include "kube/apply.h"
#include "kube/client.h"
#include "kube/kinds.h"
#include "kube/patch.h"

namespace capstan::kube {

namespace detail {

// "get Machine ns/a"
std::string attempt(std::string_view verb, const Resource& resource, const ObjectKey& key);

template <typename T>
Result<T> decoded(Client& client, Result<json::value> answer, const Resource& resource,
                  const ObjectKey& key) {
  if (!answer) return fail(answer.error().context(attempt("get", resource, key)));
  auto object = api::from_json<T>(*answer);
  if (object) return object;
  const Error unread = without_quotes(std::move(object).error(), client.quoting());
  return fail(unread.context(attempt("get", resource, key)));
}

template <typename T>
Result<T> attempted(Result<void> done, T&& object, std::string_view verb, const Resource& resource,
                    const ObjectKey& key) {
  if (!done) return fail(done.error().context(attempt(verb, resource, key)));
  return std::forward<T>(object);
}

struct RawList {
  json::array items = {};
  std::string version = {};
};
Result<RawList> list_raw(Client& client, const Resource& resource, ListOptions options,
                         const Deadline& deadline);
ObjectKey key_in(const json::value& document);
Error unlisted(Error error, const json::value& item, const Resource& resource, Quoting quoting);

// A JSON patch that met another list than it tested for: another writer was faster.
Error as_conflict(Error error);

}  // namespace detail

// --- reading ---

// Of a kind whose Resource is known at run time only (projections of foreign kinds).
template <typename T>
Result<T> get(Client& client, const Resource& resource, const ObjectKey& key, const Deadline& deadline) {
  return detail::decoded<T>(client, client.get(resource, key, deadline), resource, key);
}

template <Kind T>
Result<T> get(Client& client, const ObjectKey& key, const Deadline& deadline) {
  return get<T>(client, resource_of<T>(), key, deadline);
}

template <typename T>
struct Listed {
  std::vector<T> items = {};
  std::string version = {};
};

// Every page of a consistent list. An item that can't be decoded fails the whole, for a caller of this must
// not miss one.
template <typename T>
Result<Listed<T>> list(Client& client, const Resource& resource, ListOptions options,
                       const Deadline& deadline) {
  const detail::RawList raw = TRY(detail::list_raw(client, resource, std::move(options), deadline));
  Listed<T> listed{.version = raw.version};
  listed.items.reserve(raw.items.size());
  for (const json::value& document : raw.items) {
    auto item = api::from_json<T>(document);
    if (!item) return fail(detail::unlisted(std::move(item).error(), document, resource, client.quoting()));
    listed.items.push_back(std::move(*item));
  }
  return listed;
}

template <Kind T>
Result<Listed<T>> list(Client& client, ListOptions options, const Deadline& deadline) {
  return list<T>(client, resource_of<T>(), std::move(options), deadline);
}

// --- writing ---

template <WritableKind T>
Result<T> create(Client& client, const T& object, const WriteOptions& options, const Deadline& deadline) {
  const Resource resource = resource_of<T>();
  const ObjectKey key = key_of(object);
  T made{};
  return detail::attempted(
      client.create_into({&api::type_of<T>, &made}, resource, key, api::to_json(object), options, deadline),
      std::move(made), "create", resource, key);
}

// The patch of a caller that needs no more than that it was written.
Result<api::Written> patch_briefly(Client& client, const Resource& resource, const ObjectKey& key,
                                   const json::value& body, const PatchOptions& options,
                                   const Deadline& deadline);
Result<api::Written> create_briefly(Client& client, const Resource& resource, const ObjectKey& key,
                                    const json::value& object, const WriteOptions& options,
                                    const Deadline& deadline);

// The merge patch from `before` to `after`; nothing is sent, and nothing comes back, when they do not differ.
template <WritableKind T>
Result<std::optional<T>> patch_part(Client& client, const T& before, const T& after, Part part, Lock lock,
                                    const Deadline& deadline) {
  if (before == after) return std::optional<T>();
  const auto body = merge_patch(api::type_of<T>, &before, &after, part, lock);
  if (!body) return std::optional<T>();
  const Resource resource = resource_of<T>();
  const ObjectKey key = key_of(before);
  const PatchOptions options{.subresource = part == Part::Status ? "status" : ""};
  T patched{};
  return detail::attempted(
      client.patch_into({&api::type_of<T>, &patched}, resource, key, *body, options, deadline),
      std::move(patched), part == Part::Status ? "patch the status of" : "patch", resource, key);
}

template <WritableKind T>
Result<std::optional<T>> patch(Client& client, const T& before, const T& after, const Deadline& deadline) {
  return patch_part(client, before, after, Part::Main, Lock::WhenArraysChange, deadline);
}

// The same for callers who go on with no more than that it was written.
template <WritableKind T>
Result<std::optional<api::Written>> patch_part_briefly(Client& client, const T& before, const T& after,
                                                       Part part, const Deadline& deadline) {
  if (before == after) return std::optional<api::Written>();
  const auto body = merge_patch(api::type_of<T>, &before, &after, part, Lock::WhenArraysChange);
  if (!body) return std::optional<api::Written>();
  const Resource resource = resource_of<T>();
  const ObjectKey key = key_of(before);
  const PatchOptions options{.subresource = part == Part::Status ? "status" : ""};
  auto written = patch_briefly(client, resource, key, *body, options, deadline);
  if (written) return written;
  const std::string_view verb = part == Part::Status ? "patch the status of" : "patch";
  return fail(written.error().context(detail::attempt(verb, resource, key)));
}

template <WritableKind T>
Result<std::optional<api::Written>> patch_briefly(Client& client, const T& before, const T& after,
                                                  const Deadline& deadline) {
  return patch_part_briefly(client, before, after, Part::Main, deadline);
}

template <WritableKind T>
Result<std::optional<api::Written>> patch_status(Client& client, const T& before, const T& after,
                                                 const Deadline& deadline) {
  return patch_part_briefly(client, before, after, Part::Status, deadline);
}

// Server-side apply of `wanted`, with force; nothing is sent when `present` (null: there is none yet) shows
// that it would change nothing. With `present` it fails with Conflict when the object has changed or vanished
// meanwhile: what an intent names comes back with it, an owner that was taken away just before, too.
template <WritableKind T>
Result<std::optional<api::Written>> apply(Client& client, const T& wanted, const T* present,
                                          std::string_view manager, const Deadline& deadline) {
  static const api::ManagedFields kNobody;
  const auto intent = present == nullptr
                          ? needed_intent(api::type_of<T>, &wanted, {.managed = kNobody}, manager)
                          : needed_intent(api::type_of<T>, &wanted,
                                          {.object = present,
                                           .uid = present->metadata.uid.str(),
                                           .version = present->metadata.resource_version.str(),
                                           .managed = present->metadata.managed_fields},
                                          manager);
  if (!intent) return std::optional<api::Written>();
  const Resource resource = resource_of<T>();
  const ObjectKey key = key_of(wanted);
  const PatchOptions options{.type = PatchType::Apply, .field_manager = std::string(manager), .force = true};
  auto written = patch_briefly(client, resource, key, *intent, options, deadline);
  if (!written) return fail(written.error().context(detail::attempt("apply", resource, key)));
  return written;
}

// The deletion is asked for; finalizers decide when the object is gone. NotFound is an error like others
// here.
template <Kind T>
Result<void> remove(Client& client, const ObjectKey& key, const DeleteOptions& options,
                    const Deadline& deadline) {
  const Resource resource = resource_of<T>();
  const auto removed = client.remove(resource, key, options, deadline);
  if (!removed) return fail(removed.error().context(detail::attempt("delete", resource, key)));
  return {};
}

// --- finalizers ---

namespace detail {

template <typename T>
std::vector<std::string> finalizers_of(const T& object) {
  std::vector<std::string> names;
  for (const auto& finalizer : object.metadata.finalizers.get()) names.emplace_back(finalizer.view());
  return names;
}

template <typename Answer>
Result<std::optional<Answer>> patch_finalizers(Client& client, const Resource& resource, const ObjectKey& key,
                                               const std::optional<json::value>& body, std::string_view verb,
                                               const Deadline& deadline) {
  if (!body) return std::optional<Answer>();
  std::optional<Answer> answer(std::in_place);
  const Into into{.type = &api::type_of<Answer>,
                  .object = &*answer,
                  .metadata_only = std::is_same_v<Answer, api::Written>};
  auto done = client.patch_into(into, resource, key, *body, {.type = PatchType::Json}, deadline);
  if (!done) return fail(as_conflict(std::move(done).error()).context(attempt(verb, resource, key)));
  return answer;
}

}  // namespace detail

// Conflict when the list of finalizers is not the one of `object` any more; nothing is sent when it is as
// wanted. The answer is a T where the caller names it.
template <typename Answer = api::Written, Kind T>
Result<std::optional<Answer>> add_finalizer(Client& client, const T& object, std::string_view finalizer,
                                            const Deadline& deadline) {
  return detail::patch_finalizers<Answer>(client, resource_of<T>(), key_of(object),
                                          add_finalizer_patch(detail::finalizers_of(object), finalizer),
                                          "add a finalizer to", deadline);
}
template <typename Answer = api::Written, Kind T>
Result<std::optional<Answer>> remove_finalizer(Client& client, const T& object, std::string_view finalizer,
                                               const Deadline& deadline) {
  return detail::patch_finalizers<Answer>(client, resource_of<T>(), key_of(object),
                                          remove_finalizer_patch(detail::finalizers_of(object), finalizer),
                                          "remove a finalizer from", deadline);
}

}  // namespace capstan::kube
