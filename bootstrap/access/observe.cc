#include "bootstrap/access/observe.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/v1beta2/cluster_state.h"
#include "base/try.h"
#include "bootstrap/access/bindings.h"
#include "bootstrap/token.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::bootstrap::access {
namespace {

namespace json = boost::json;

bool can_be_asked(const api::Cluster& cluster) {
  return !cluster.metadata.deleting() && !cluster.spec.paused.value_or(false) &&
         api::control_plane_initialized(cluster);
}

Result<json::array> list_items(const TurnContext& with, const ObjectKey& cluster,
                               const kube::Resource& resource, const kube::ListOptions& options) {
  const auto client = TRY(with.deps.workloads.of(cluster, with.context.deadline));
  auto listed = client->list(resource, options, with.context.deadline);
  if (!listed) {
    with.deps.workloads.forget(cluster);
    return fail(listed.error().context("list " + resource.plural));
  }
  json::value* items = listed->as_object().if_contains("items");
  return items != nullptr && items->is_array() ? std::move(items->as_array()) : json::array();
}

// One of that name may have been made by another hand, without the label the list goes by.
Result<void> add_unlisted(const TurnContext& with, const ObjectKey& cluster, const Binding& binding,
                          json::array& present) {
  if (find_binding(present, binding.name) != nullptr) return {};
  const auto client = TRY(with.deps.workloads.of(cluster, with.context.deadline));
  auto found =
      client->get(cluster_role_bindings(), {.name = std::string(binding.name)}, with.context.deadline);
  if (found)
    present.push_back(std::move(*found));
  else if (found.error().code != Code::NotFound)
    return fail(found.error().context("get the binding"));
  return {};
}

Result<json::array> read_bindings(const TurnContext& with, const ObjectKey& cluster, bool wanted) {
  json::array present =
      TRY(list_items(with, cluster, cluster_role_bindings(), {.label_selector = our_bindings()}));
  if (wanted)
    for (const Binding& binding : bindings()) TRY(add_unlisted(with, cluster, binding, present));
  return present;
}

// Asked live where the cache has none, which may be behind or see a part of the namespaces: what can't be
// known for certain is still the other one's.
bool is_gone(const TurnContext& with, const ObjectKey& cluster) {
  if (with.deps.caches.clusters.get(cluster)) return false;
  const auto found = kube::get<api::Cluster>(with.deps.client, cluster, with.context.deadline);
  return !found && found.error().code == Code::NotFound;
}

BindingState state_in(const TurnContext& with, const json::array& present, const Binding& binding,
                      const ObjectKey& cluster) {
  const json::value* object = find_binding(present, binding.name);
  if (object == nullptr) return BindingState::Missing;
  const auto maker = made_for(*object);
  if (maker && *maker != cluster && !is_gone(with, *maker)) return BindingState::OfAnother;
  return state_of(binding, cluster, *object);
}

std::vector<BindingState> states_in(const TurnContext& with, const json::array& present,
                                    const ObjectKey& cluster) {
  std::vector<BindingState> states;
  for (const Binding& binding : bindings()) states.push_back(state_in(with, present, binding, cluster));
  return states;
}

// Asked live, for the cache may be behind, and the CloudConfig may be another Cluster's. A token of which
// nothing is known for certain ends by its expiry.
bool is_orphan(const TurnContext& with, const json::value& secret) {
  const auto config = config_in(secret);
  if (!config || with.deps.caches.cloud_configs.get(*config)) return false;
  const auto found = kube::get<api::CloudConfig>(with.deps.client, *config, with.context.deadline);
  return !found && found.error().code == Code::NotFound;
}

std::vector<std::string> orphans_among(const TurnContext& with, const json::array& tokens) {
  std::vector<std::string> orphans;
  for (const json::value& secret : tokens) {
    const auto token = read_token(secret);
    if (token && is_orphan(with, secret)) orphans.push_back(token->id);
  }
  return orphans;
}

}  // namespace

bool joins_machines(const Caches& caches, const ObjectKey& cluster) {
  return std::ranges::any_of(caches.cloud_configs_of(cluster), [](const auto& config) {
    return config->spec.join.has_value() && !config->metadata.deleting();
  });
}

Result<std::optional<Observation>> observe(const TurnContext& with, const ObjectKey& cluster) {
  const auto known = with.deps.caches.clusters.get(cluster);
  if (!known || !can_be_asked(*known)) return std::optional<Observation>();
  const bool wanted = joins_machines(with.deps.caches, cluster);
  const auto present = TRY(read_bindings(with, cluster, wanted));
  const auto tokens =
      TRY(list_items(with, cluster, kube::resources::secrets(),
                     {.namespace_ = key_of_token({}).namespace_, .label_selector = tokens_of_all()}));
  return std::optional(Observation{.cluster = cluster,
                                   .wanted = wanted,
                                   .states = states_in(with, present, cluster),
                                   .orphans = orphans_among(with, tokens)});
}

}  // namespace capstan::bootstrap::access
