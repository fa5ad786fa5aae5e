#include "runtime/external_refs.h"

#include <algorithm>
#include <tuple>

#include "api/contract/plural.h"
#include "api/names.h"
#include "base/try.h"
#include "runtime/triggers.h"

namespace capstan::runtime {
namespace {

constexpr std::size_t kNamesKept = 32;  // whatever users write into references must not pile up

// Providers write a lot that the contract does not name: their finalizers, their spec, their own status.
bool concerns_a_reader(const Change<ContractObject>& change) {
  if (!change.before || !change.after) return true;
  const auto read = [](const ContractObject& object) {
    const auto& metadata = object.metadata;
    return std::tie(metadata.uid, metadata.deletion_timestamp, metadata.labels, metadata.annotations,
                    metadata.owner_references, object.spec, object.status);
  };
  return read(*change.before) != read(*change.after);
}

Error unavailable(std::string message, std::string_view reason) {
  return {.code = Code::Unavailable, .message = std::move(message), .reason = std::string(reason)};
}

// Each once: mostly the owner of an object is who refers to it.
std::vector<ObjectKey> readers_of(const ExternalRefs::Owner& owner, const kube::Resource& resource,
                                  const Change<ContractObject>& change) {
  auto readers = owners_of_kind(change, owner.group, owner.kind);
  if (!owner.referrers) return readers;
  for (ObjectKey& key : owner.referrers(resource, key_of(change.object()))) {
    if (std::ranges::find(readers, key) == readers.end()) readers.push_back(std::move(key));
  }
  return readers;
}

}  // namespace

ExternalRefs::ExternalRefs(DynamicInformers& informers, const Store<api::CustomResourceDefinition>& crds,
                           Owner owner, Queue& queue)
    : informers_(informers), crds_(crds), owner_(std::move(owner)), queue_(queue) {}

Result<External> ExternalRefs::get(const api::ContractRef& ref, std::string_view namespace_) {
  External external = TRY(resolve(ref.api_group, ref.kind));
  const auto hold = TRY(complete(external.resource));
  external.cache = &hold->store();
  external.key = {.namespace_ = std::string(namespace_), .name = ref.name.str()};
  external.object = hold->store().get(external.key);
  const auto unreadable = hold->store().unreadable(external.key);
  if (!unreadable) return external;
  if (!external.object) return fail(unavailable(unreadable->problem, kUnreadable));
  external.unreadable = unreadable->problem;
  return external;
}

Result<ExternalRefs::Owned> ExternalRefs::plainly_owned_by(std::string_view group, std::string_view kind,
                                                           const api::Uid& owner) {
  External external = TRY(resolve(group, kind));
  const auto hold = TRY(complete(external.resource));
  return Owned{.resource = std::move(external.resource),
               .cache = &hold->store(),
               .objects = hold->plainly_owned_by(owner)};
}

Result<ExternalRefs::Owned> ExternalRefs::in_pool(std::string_view group, std::string_view kind,
                                                  const InPool& pool, Pools pools) {
  External external = TRY(resolve(group, kind));
  const auto watched = watch(external.resource);
  const bool first =
      inside_.with([&](Inside& inside) { return inside.pooled.insert(external.resource).second; });
  if (first) {
    trigger<ContractObject>(watched->store(), queue_,
                            [pools = std::move(pools)](const Change<ContractObject>& change) {
                              const auto& metadata = change.object().metadata;
                              const Text* label = metadata.labels.find(api::label::kPoolName);
                              const bool wakes = label != nullptr && concerns_a_reader(change);
                              return wakes ? pools(metadata.namespace_, *label) : std::vector<ObjectKey>();
                            });
  }
  const auto hold = TRY(complete(external.resource));
  return Owned{.resource = std::move(external.resource),
               .cache = &hold->store(),
               .objects = hold->in_pool(pool.namespace_, pool.label)};
}

Result<std::shared_ptr<DynamicInformers::Hold>> ExternalRefs::complete(const kube::Resource& resource) {
  auto hold = watch(resource);
  if (hold->store().synced()) return hold;
  Error error{.code = Code::Unavailable, .message = "the cache of " + resource.kind + " is not complete yet"};
  if (const auto trouble = hold->trouble()) {
    error.message += ": " + trouble->message;
  } else {
    error.retry_after = Seconds(1);
  }
  return fail(std::move(error));
}

Result<External> ExternalRefs::resolve(std::string_view group, std::string_view kind) {
  const std::string name = crd_name(group, kind);
  const auto crd = crds_.get({.namespace_ = {}, .name = name});
  // Never NotFound: a missing definition says nothing about objects.
  if (!crd) {
    if (const auto definition = crds_.unreadable({.namespace_ = {}, .name = name}))
      return fail(unavailable(definition->problem, kNoContract));
    if (crds_.synced())
      return fail(unavailable("CustomResourceDefinition " + name + " does not exist", kNotDefined));
    Error error = unavailable("the cache of CustomResourceDefinition is not complete yet", {});
    error.retry_after = Seconds(1);
    return fail(std::move(error));
  }
  const auto found = api::contract::resolve(name, crd->metadata.labels);
  if (!found) return fail(unavailable(found.error().message, kNoContract));
  External external{.contract = found->contract};
  external.resource = {.group = std::string(group),
                       .version = found->version,
                       .plural = name.substr(0, name.find('.')),
                       .kind = std::string(kind),
                       .namespaced = true};
  return external;
}

// A plural takes long to guess, and every turn asks for the same two or three.
std::string ExternalRefs::crd_name(std::string_view group, std::string_view kind) {
  const auto is_it = [&](const Named& named) { return named.kind == kind && named.group == group; };
  auto known = inside_.with([&](const Inside& inside) {
    const auto found = std::ranges::find_if(inside.named, is_it);
    return found == inside.named.end() ? std::string() : found->crd;
  });
  if (!known.empty()) return known;
  std::string name = api::contract::crd_name(group, kind);
  inside_.with([&](Inside& inside) {
    if (inside.named.size() == kNamesKept) inside.named.erase(inside.named.begin());
    if (std::ranges::none_of(inside.named, is_it))
      inside.named.push_back({.group = std::string(group), .kind = std::string(kind), .crd = name});
  });
  return name;
}

// One hold per kind; a provider that moved to another version is watched in that one from now on.
std::shared_ptr<DynamicInformers::Hold> ExternalRefs::watch(const kube::Resource& resource) {
  const GroupKind name{resource.group, resource.kind};
  auto known = inside_.with([&](const Inside& inside) -> std::shared_ptr<DynamicInformers::Hold> {
    const auto found = inside.watched.find(name);
    return found != inside.watched.end() && found->second.resource == resource ? found->second.hold : nullptr;
  });
  if (known) return known;

  const auto hold = std::make_shared<DynamicInformers::Hold>(informers_.hold(resource));
  std::shared_ptr<DynamicInformers::Hold> replaced;  // let go outside of the lock
  const bool first = inside_.with([&](Inside& inside) {
    Watched& watched = inside.watched[name];
    watched.resource = resource;
    replaced = std::exchange(watched.hold, hold);
    return inside.subscribed.insert(resource).second;
  });
  if (first) {
    trigger<ContractObject>(
        hold->store(), queue_, [owner = owner_, resource](const Change<ContractObject>& change) {
          return concerns_a_reader(change) ? readers_of(owner, resource, change) : std::vector<ObjectKey>();
        });
  }
  return hold;
}

}  // namespace capstan::runtime
