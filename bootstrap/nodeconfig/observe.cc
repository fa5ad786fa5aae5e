#include "bootstrap/nodeconfig/observe.h"

#include <algorithm>
#include <boost/json.hpp>
#include <set>

#include "api/bootstrap/names.h"
#include "api/core/node.h"
#include "api/names.h"
#include "base/try.h"
#include "bootstrap/nodeconfig/standing.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

namespace json = boost::json;
namespace annotation = api::bootstrap::annotation;

using Users = std::vector<Snapshot<api::CloudConfig>>;

// Nothing when there is no such object.
Result<std::optional<json::value>> find(kube::Client& client, const kube::Resource& resource,
                                        const ObjectKey& key, const Deadline& deadline) {
  auto found = client.get(resource, key, deadline);
  if (found) return std::optional(std::move(*found));
  if (found.error().code == Code::NotFound) return std::optional<json::value>();
  return fail(found.error().context("get " + resource.kind));
}

NodeFact fact_of(const api::Node& node) {
  NodeFact fact{.name = node.metadata.name.str(),
                .applied = std::string(node.metadata.annotations.value_or_empty(annotation::kApplied)),
                .error = std::string(node.metadata.annotations.value_or_empty(annotation::kApplyError))};
  const api::NodeCondition* ready = node.condition(api::condition::kReady);
  if (ready == nullptr) return fact;
  fact.ready = ready->status == api::status::kTrue;
  fact.ready_changed = ready->last_transition_time;
  return fact;
}

std::set<std::string> nodes_of(const Caches& caches, const Users& users) {
  std::set<std::string> names;
  for (const auto& config : users)
    if (const auto owner = caches.owner_of(config->metadata))
      names.insert(owner->nodes.begin(), owner->nodes.end());
  return names;
}

Result<std::vector<NodeFact>> read_nodes(const ObserveContext& with, kube::Client& client,
                                         const std::set<std::string>& names) {
  std::vector<NodeFact> facts;
  if (names.empty()) return facts;
  const auto listed = TRY(kube::list<api::Node>(client, {}, with.context.deadline));
  for (const api::Node& node : listed.items)
    if (names.contains(node.metadata.name.str())) facts.push_back(fact_of(node));
  return facts;
}

Result<Live> read_workload(const ObserveContext& with, const Observation& seen, const Users& users) {
  const ObjectKey key = runtime::key_of(*seen.object);
  const Deadline& deadline = with.context.deadline;
  const auto client = TRY(with.deps.workloads.of(runtime::key_of(*seen.cluster), deadline));
  Live live;
  const auto secret = TRY(find(*client, kube::resources::secrets(), secret_key(key), deadline));
  if (secret) live.secret = seen_in(*secret, key, seen.content);
  for (const Right& right : rights_of(key)) {
    const auto present = TRY(find(*client, right.resource, right.key, deadline));
    live.rights.push_back(present ? state_of(right, *present) : RightState::Missing);
  }
  live.nodes = TRY(read_nodes(with, *client, nodes_of(with.deps.caches, users)));
  return live;
}

void add_live(const ObserveContext& with, const Users& users, Observation& seen) {
  if (paused_by(seen).paused || !seen.fresh) return;
  const Standing standing = standing_of(seen);
  if (standing != Standing::Stands && standing != Standing::Leaves) return;
  auto live = read_workload(with, seen, users);
  if (live) {
    seen.live = std::move(*live);
    return;
  }
  with.deps.workloads.forget(runtime::key_of(*seen.cluster));
  seen.live = Live{.unreachable = live.error()};
}

}  // namespace

std::optional<Observation> observe(const ObserveContext& with, const ObjectKey& key) {
  const Caches& caches = with.deps.caches;
  Observation seen{.now = Time::from(with.deps.clock.now()),
                   .fresh = with.context.fresh,
                   .object = caches.node_configs.get(key)};
  if (!seen.object) return std::nullopt;
  seen.cluster =
      caches.clusters.get({.namespace_ = key.namespace_, .name = seen.object->spec.cluster_name.str()});
  seen.content = content_of(seen.object->spec);
  const Users users = caches.users_of(key);
  for (const auto& config : users) seen.users.push_back(config->metadata.name.str());
  add_live(with, users, seen);
  return seen;
}

}  // namespace capstan::bootstrap::nodeconfig
