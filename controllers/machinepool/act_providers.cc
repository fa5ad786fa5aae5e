#include "controllers/machinepool/act_providers.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/contract/plural.h"
#include "api/schema/decode.h"
#include "base/try.h"
#include "controllers/machinepool/observe.h"
#include "controllers/shared/recheck.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::controllers::machinepool {
namespace {

// When caches do not agree with the server after that time, the server is asked rarely.
constexpr Seconds kCachesCatchUp{60};

const api::ContractRef& reference(const ActTurn& turn, Provider which);
Result<void> delete_unreadable(ActTurn& turn, Provider which, const claims::Clearance& clearance);
Result<bool> list_is_complete(ActTurn& turn);
Result<bool> is_gone(ActTurn& turn, Provider which, std::string& still_there);

}  // namespace

Result<void> write_pool(ActTurn& turn, const Snapshot<api::MachinePool>& from, const api::MachinePool& to) {
  const auto& with = turn.with;
  auto written = TRY(kube::patch(with.deps.client, *from, to, turn.deadline()));
  if (!written) return {};
  with.host.consistency.wrote(turn.key, with.deps.caches.machine_pools, written->metadata.resource_version);
  turn.effects.pool = std::move(*written);
  return {};
}

Result<void> delete_provider(ActTurn& turn, const DeleteProvider& action) {
  const ExternalSeen& external = turn.seen.provider(action.which);
  const auto clearance =
      TRY(claims::clear_referred(turn.server(), external.resource, external.object->metadata,
                                 {.kind = api::kind::kMachinePool, .metadata = turn.seen.pool->metadata}));
  if (external.live) return delete_unreadable(turn, action.which, clearance);
  return claims::remove(turn.deleting(),
                        {.cache = *external.cache, .resource = external.resource, .key = external.key},
                        clearance);
}

bool confirm_list(ActTurn& turn) {
  const auto complete = list_is_complete(turn);
  return turn.keep(complete) && *complete;
}

bool confirm_gone(ActTurn& turn) {
  std::string still_there;  // what no reference of the pool names, and is its own
  auto gone = is_gone(turn, Provider::Infrastructure, still_there);
  if (gone && turn.seen.pool->spec.machine_template.spec.bootstrap.config_ref) {
    const auto of_bootstrap = is_gone(turn, Provider::Bootstrap, still_there);
    gone = of_bootstrap ? Result<bool>(*of_bootstrap && *gone) : of_bootstrap;
  }
  if (turn.keep(gone) && *gone) return true;
  if (!still_there.empty()) {
    turn.effects.waits_for = {.reason = api::reason::kWaitingForInfrastructureDeletion,
                              .message = std::move(still_there),
                              .recheck = kLiveLook};
    return false;
  }
  const bool long_ago = turn.seen.now - turn.seen.pool->metadata.deletion_timestamp > kCachesCatchUp;
  turn.effects.waits_for = {.reason = api::reason::kDeleting,
                            .message = "Waiting for the caches to agree that the provider's objects are gone",
                            .recheck = long_ago ? kLiveLook : Seconds(1)};
  return false;
}

namespace {

const api::ContractRef& reference(const ActTurn& turn, Provider which) {
  const auto& wanted = turn.seen.pool->spec.machine_template.spec;
  return which == Provider::Infrastructure ? wanted.infrastructure_ref : *wanted.bootstrap.config_ref;
}

// No cache will show that it goes: the next live look does.
Result<void> delete_unreadable(ActTurn& turn, Provider which, const claims::Clearance& clearance) {
  const ExternalSeen& external = turn.seen.provider(which);
  const auto removed =
      claims::remove({.client = turn.with.deps.client, .resource = external.resource, .key = external.key},
                     clearance, turn.deadline());
  if (!removed && removed.error().code != Code::NotFound) return fail(removed.error());
  turn.memory.live_looks.told_to_go(turn.key, reference(turn, which), turn.seen.now);
  return {};
}

// The provider may have named more instances than our cache has heard of. False: they have been added now,
// and are to be looked at before any instance ends.
Result<bool> list_is_complete(ActTurn& turn) {
  const Observation& seen = turn.seen;
  const auto live = turn.with.deps.client.get(seen.infra.resource, seen.infra.key, turn.deadline());
  if (!live && live.error().code == Code::NotFound) return true;
  if (!live) return fail(live.error());
  ExternalSeen now = seen.infra;
  auto object = api::from_json<api::contract::ContractObject>(*live);
  if (!object && seen.infra.live) return true;  // it names nothing that can be read
  now.object = std::make_shared<const api::contract::ContractObject>(TRY(std::move(object)));
  if (now.object->metadata.uid != seen.infra.object->metadata.uid) return true;  // not the one to go
  const auto late = late_instances(turn.with.deps.caches, read_infra(now, *seen.pool), *seen.pool);
  const auto is_known = [&](const Text& id) { return std::ranges::find(seen.late, id) != seen.late.end(); };
  if (std::ranges::all_of(late, is_known)) return true;
  api::MachinePool wanted = *seen.pool;
  for (const Text& id : late) wanted.spec.provider_id_list.push_back(id);
  TRY(write_pool(turn, seen.pool, wanted));
  turn.effects.unfinished = true;
  return false;
}

// A reference whose kind was mistyped later names nothing, and the instances run on.
Result<bool> owns_nothing_of(ActTurn& turn, const api::ContractRef& ref, std::string& still_there) {
  const auto& with = turn.with;
  const auto& pool = turn.seen.pool->metadata;
  const auto left = TRY(find_owned(with.deps.client, with.deps.caches.crds, ref.api_group, pool.namespace_,
                                   pool.uid, turn.deadline()));
  if (!left) return true;
  still_there = fmt::format(
      "Waiting for the deletion of {} {}, which the MachinePool owns and its reference to {} {} does not "
      "name: correct the reference, or delete it",
      left->kind, left->name, ref.kind.view(), ref.name.view());
  return false;
}

Result<bool> is_gone(ActTurn& turn, Provider which, std::string& still_there) {
  const ExternalSeen& external = turn.seen.provider(which);
  if (external.found() || external.state == ExternalSeen::State::Unused) return true;  // not the pool's
  const api::ContractRef& ref = reference(turn, which);
  const bool defined = external.state != ExternalSeen::State::Undefined;
  auto& client = turn.with.deps.client;
  const auto live =
      defined ? client.get(external.resource, external.key, turn.deadline())
              : client.get(kube::resources::custom_resource_definitions(),
                           {.name = api::contract::crd_name(ref.api_group, ref.kind)}, turn.deadline());
  if (live) return false;
  if (live.error().code != Code::NotFound) return fail(live.error());
  return defined || TRY(owns_nothing_of(turn, ref, still_there));
}

}  // namespace
}  // namespace capstan::controllers::machinepool
