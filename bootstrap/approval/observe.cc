#include "bootstrap/approval/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/bootstrap/names.h"
#include "api/names.h"
#include "api/v1beta2/cluster_state.h"
#include "base/try.h"
#include "bootstrap/labels.h"
#include "bootstrap/token.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::bootstrap::approval {
namespace {

namespace json = boost::json;
namespace label = api::bootstrap::label;

bool may_be_asked(const api::Cluster& cluster) {
  return !cluster.metadata.deleting() && !cluster.spec.paused.value_or(false) &&
         api::control_plane_initialized(cluster);
}

std::vector<Member> members_of(const Caches& caches, const ObjectKey& cluster) {
  std::vector<Member> members;
  for (const auto& config : caches.cloud_configs_of(cluster)) {
    if (!config->spec.node_config_ref || !config->spec.join) continue;
    auto owner = caches.owner_of(config->metadata);
    if (!owner) continue;
    members.push_back({.config = runtime::key_of(*config),
                       .node_config = config->spec.node_config_ref->name.str(),
                       .owner = std::move(*owner)});
  }
  return members;
}

bool is_waited_for(const Member& member) { return member.owner.nodes_missing && !member.owner.deleting; }

// What one turn asks, with the members of the Cluster at hand.
class Look {
 public:
  Look(const TurnContext& with, const ObjectKey& cluster, const std::vector<Member>& members)
      : with_(with), cluster_(cluster), members_(members) {}

  Result<std::vector<Case>> cases();

 private:
  Result<std::vector<Request>> read_requests();
  Result<Case> examined(const Request& request, const std::vector<Request>& all);
  Result<std::optional<Member>> owner_of_token(const std::string& id);
  Result<void> refresh(Member& member);
  Result<bool> has_node(const std::string& name);
  std::optional<Member> holder_of(const Identity& identity) const;
  bool is_ours(const Identity& identity) const;
  bool names_other_machine(const Member& pool, const Identity& identity) const;
  Result<std::shared_ptr<kube::Client>> workload() const {
    return with_.deps.workloads.of(cluster_, with_.context.deadline);
  }

  const TurnContext& with_;
  const ObjectKey& cluster_;
  const std::vector<Member>& members_;
};

Result<std::vector<Case>> Look::cases() {
  const std::vector<Request> requests = TRY(read_requests());
  std::vector<Case> cases;
  for (const Request& request : requests)
    if (!request.decided) cases.push_back(TRY(examined(request, requests)));
  return cases;
}

Result<std::vector<Request>> Look::read_requests() {
  const auto client = TRY(workload());
  const auto listed =
      TRY(client->list(signing_requests(), {.field_selector = fmt::format("spec.signerName={}", kSigner)},
                       with_.context.deadline));
  std::vector<Request> requests;
  const json::value* items = listed.as_object().if_contains("items");
  if (items == nullptr || !items->is_array()) return requests;
  for (const json::value& item : items->as_array())
    if (auto request = read_request(item)) requests.push_back(std::move(*request));
  return requests;
}

Result<Case> Look::examined(const Request& request, const std::vector<Request>& all) {
  Case seen{.request = request};
  const std::string token = token_id_of(request);
  if (!token.empty()) seen.minted_for = TRY(owner_of_token(token));
  const auto identity = identity_in(request);
  if (!identity) return seen;
  seen.ours = is_ours(*identity);
  seen.holder = holder_of(*identity);
  seen.had_certificate = std::ranges::any_of(
      all, [&](const Request& other) { return other.approved && identity_in(other) == identity; });
  if (!seen.minted_for) return seen;
  if (!seen.minted_for->owner.is_pool()) {
    TRY(refresh(*seen.minted_for));
    return seen;
  }
  seen.names_other_machine = names_other_machine(*seen.minted_for, *identity);
  seen.node_is_there = TRY(has_node(identity->machine));
  return seen;
}

// By the token's labels, as they were written when it was minted.
Result<std::optional<Member>> Look::owner_of_token(const std::string& id) {
  const auto client = TRY(workload());
  const auto secret = client->get(kube::resources::secrets(), key_of_token(id), with_.context.deadline);
  if (!secret && secret.error().code != Code::NotFound) return fail(secret.error().context("get the token"));
  if (!secret) return std::optional<Member>();
  const auto found = std::ranges::find_if(members_, [&](const Member& member) {
    return label_in(*secret, label::kConfigNamespace) == label_value(member.config.namespace_) &&
           label_in(*secret, label::kConfigName) == label_value(member.config.name);
  });
  return found == members_.end() ? std::optional<Member>() : std::optional(*found);
}

// The cache may be behind, and a Machine that has its Node gets no certificate by its token.
Result<void> Look::refresh(Member& member) {
  const auto machine = kube::get<api::Machine>(
      with_.deps.client, {.namespace_ = member.config.namespace_, .name = member.owner.name},
      with_.context.deadline);
  if (!machine && machine.error().code != Code::NotFound) return fail(machine.error());
  member.owner.deleting = !machine || machine->metadata.deleting();
  member.owner.nodes_missing = machine && !machine->status.node_ref;
  return {};
}

Result<bool> Look::has_node(const std::string& name) {
  const auto client = TRY(workload());
  const auto node = client->get(kube::resources::nodes(), {.name = name}, with_.context.deadline);
  if (!node && node.error().code != Code::NotFound) return fail(node.error().context("get the Node"));
  return node.has_value();
}

std::optional<Member> Look::holder_of(const Identity& identity) const {
  const auto found = std::ranges::find_if(members_, [&](const Member& member) {
    if (member.config.namespace_ != identity.namespace_ || member.node_config != identity.node_config)
      return false;
    if (!member.owner.is_pool()) return member.owner.name == identity.machine;
    return std::ranges::find(member.owner.nodes, identity.machine) != member.owner.nodes.end();
  });
  return found == members_.end() ? std::optional<Member>() : std::optional(*found);
}

bool Look::is_ours(const Identity& identity) const {
  const auto config =
      with_.deps.caches.node_configs.get({.namespace_ = identity.namespace_, .name = identity.node_config});
  return config && config->metadata.namespace_ == cluster_.namespace_ &&
         config->spec.cluster_name == cluster_.name;
}

bool Look::names_other_machine(const Member& pool, const Identity& identity) const {
  const auto machine =
      with_.deps.caches.machines.get({.namespace_ = identity.namespace_, .name = identity.machine});
  if (!machine) return false;
  return std::ranges::none_of(*machine->metadata.owner_references, [&](const auto& reference) {
    return reference.kind == api::kind::kMachinePool && reference.name == pool.owner.name;
  });
}

}  // namespace

Result<std::optional<Observation>> observe(const TurnContext& with, const ObjectKey& cluster) {
  const auto known = with.deps.caches.clusters.get(cluster);
  if (!known || !may_be_asked(*known)) return std::optional<Observation>();
  const std::vector<Member> members = members_of(with.deps.caches, cluster);
  if (members.empty()) return std::optional<Observation>();
  auto cases = Look(with, cluster, members).cases();
  if (!cases) {
    with.deps.workloads.forget(cluster);
    return fail(cases.error());
  }
  return std::optional(Observation{.cluster = cluster,
                                   .nodes_missing = std::ranges::any_of(members, is_waited_for),
                                   .cases = std::move(*cases)});
}

}  // namespace capstan::bootstrap::approval
