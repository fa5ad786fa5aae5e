#include "bootstrap/access/observe.h"

#include <algorithm>
#include <boost/json.hpp>
#include <set>

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
         cluster.status.initialization.control_plane_initialized.value_or(false);
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

std::vector<BindingState> states_in(const json::array& present) {
  std::vector<BindingState> states;
  for (const Binding& binding : bindings()) states.push_back(state_of(binding, present));
  return states;
}

std::vector<std::string> orphans_among(const json::array& tokens, const Caches& caches,
                                       const ObjectKey& cluster) {
  std::set<std::string> owners;
  for (const auto& config : caches.cloud_configs_of(cluster)) owners.insert(tokens_of(kube::key_of(*config)));
  std::vector<std::string> orphans;
  for (const json::value& secret : tokens) {
    const auto token = read_token(secret);
    if (token && !owners.contains(owner_in(secret))) orphans.push_back(token->id);
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
  const auto present =
      TRY(list_items(with, cluster, cluster_role_bindings(), {.label_selector = our_bindings()}));
  const auto tokens =
      TRY(list_items(with, cluster, kube::resources::secrets(),
                     {.namespace_ = key_of_token({}).namespace_, .label_selector = tokens_of_all()}));
  return std::optional(Observation{.cluster = cluster,
                                   .wanted = joins_machines(with.deps.caches, cluster),
                                   .states = states_in(present),
                                   .orphans = orphans_among(tokens, with.deps.caches, cluster)});
}

}  // namespace capstan::bootstrap::access
