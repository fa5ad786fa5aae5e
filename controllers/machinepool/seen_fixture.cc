#include "controllers/machinepool/seen_fixture.h"

#include <memory>
#include <variant>

#include "api/schema/decode.h"

namespace capstan::controllers::machinepool {

namespace {

std::string names_of(const Nodes& nodes) {
  std::string text;
  for (const auto& node : nodes) text += " " + node->metadata.name.str();
  return text;
}

struct InWords {
  std::string operator()(const WritePool& each) const {
    return "write pool with " + std::to_string(each.to.spec.provider_id_list.size()) + " instances";
  }
  std::string operator()(const ClaimProvider& each) const {
    return each.which == Provider::Infrastructure ? "claim BoxPool" : "claim Recipe";
  }
  std::string operator()(const ConfirmList&) const { return "confirm list"; }
  std::string operator()(const DeleteProvider& each) const {
    return each.which == Provider::Infrastructure ? "delete BoxPool" : "delete Recipe";
  }
  std::string operator()(const ConfirmGone&) const { return "confirm gone"; }
  std::string operator()(const DropFinalizer&) const { return "drop finalizer"; }
  std::string operator()(const CreateMachine& each) const {
    return "create Machine " + each.machine.metadata.name.str();
  }
  std::string operator()(const ApplyMachine& each) const {
    return "apply Machine " + each.to.metadata.name.str();
  }
  std::string operator()(const RepairManagers& each) const {
    return "repair managers of " + each.machine->metadata.name.str();
  }
  std::string operator()(const WriteUpToDate& each) const {
    return "write UpToDate of " + each.to.metadata.name.str();
  }
  std::string operator()(const DeleteMachine& each) const {
    return "delete Machine " + each.machine->metadata.name.str();
  }
  std::string operator()(const GrantReplacement& each) const {
    return "grant replacement of " + each.machine->metadata.name.str();
  }
  std::string operator()(const AskFleet& each) const {
    return "ask for " + each.machine->metadata.name.str() + ": " + each.request;
  }
  std::string operator()(const UseConfirmation&) const { return "use confirmation"; }
  std::string operator()(const WriteVictims& action) const { return "victims " + action.to; }
  std::string operator()(const ReplaceMachine& each) const {
    return "replace Machine " + each.machine->metadata.name.str();
  }
  std::string operator()(const WriteNode& each) const {
    return "write Node " + each.node->metadata.name.str();
  }
  std::string operator()(const RetireNodes& each) const {
    return (each.drain ? "drain and retire" : "retire") + names_of(each.nodes);
  }
  std::string operator()(const DrainNodes& each) const { return "drain" + names_of(each.nodes); }
  std::string operator()(const DeleteNodes& each) const {
    return (each.once ? "try once to delete" : "delete") + names_of(each.nodes);
  }
};

ExternalSeen external(const kube::Resource& resource, json::object document) {
  document["apiVersion"] = resource.api_version();
  document["kind"] = resource.kind;
  auto& metadata = document["metadata"];
  if (!metadata.is_object()) metadata = json::object();
  metadata.as_object()["name"] = kPool;
  metadata.as_object()["namespace"] = builders::kNamespace;
  return {.state = ExternalSeen::State::Found,
          .resource = resource,
          .key = {.namespace_ = std::string(builders::kNamespace), .name = std::string(kPool)},
          .object = std::make_shared<const api::contract::ContractObject>(
              api::from_json<api::contract::ContractObject>(document).value())};
}

}  // namespace

api::MachinePool a_pool(std::int32_t replicas) {
  api::MachinePool pool;
  pool.metadata = builders::metadata_of(api::kind::kMachinePool, kPool);
  pool.metadata.generation = 2;
  pool.metadata.labels.set(api::label::kClusterName, builders::kCluster);
  pool.metadata.finalizers = api::Finalizers(std::vector<Text>{Text(api::finalizer::kMachinePool)});
  pool.spec.cluster_name = Text(builders::kCluster);
  pool.spec.replicas = replicas;
  auto& machine = pool.spec.machine_template.spec;
  machine.cluster_name = Text(builders::kCluster);
  machine.infrastructure_ref = {
      .api_group = Text(kBoxPools.group), .kind = Text(kBoxPools.kind), .name = Text(kPool)};
  machine.bootstrap.config_ref =
      api::ContractRef{.api_group = Text(kConfigs.group), .kind = Text(kConfigs.kind), .name = Text(kPool)};
  machine.deletion.node_deletion_timeout_seconds = 10;
  return pool;
}

std::string id_of(std::string_view node) { return "docker:////" + std::string(node); }

// --- a plan in words ---

std::optional<ProviderClaim> claim_of(const Plan& plan, Provider which) {
  for (const auto& action : actions_of<ClaimProvider>(plan)) {
    if (action.which == which) return action.to;
  }
  return std::nullopt;
}

std::vector<std::string> removed(const Plan& plan) {
  std::vector<std::string> kinds;
  for (const auto& action : actions_of<DeleteProvider>(plan))
    kinds.push_back(action.which == Provider::Infrastructure ? "BoxPool" : "Recipe");
  return kinds;
}

std::vector<std::string> in_words(const Plan& plan) {
  std::vector<std::string> lines;
  for (const Action& action : plan.actions) lines.push_back(std::visit(InWords(), action));
  return lines;
}

// --- what is seen ---

Seen::Seen() {
  seen_.now = builders::noon();
  seen_.cluster = builders::a_cluster().shared();
  seen_.reach.problem = "no connection has been made yet";
  infra({});
  bootstrap({});
}

Seen& Seen::infra(json::object document) {
  seen_.infra = external(kBoxPools, std::move(document));
  return *this;
}

Seen& Seen::bootstrap(json::object document) {
  seen_.bootstrap = external(kConfigs, std::move(document));
  return *this;
}

Seen& Seen::instances(const std::vector<std::string>& nodes, std::optional<int> replicas) {
  json::array ids;
  for (const auto& node : nodes) ids.push_back(json::value(node.empty() ? "" : id_of(node)));
  return infra(
      {{"spec", {{"providerIDList", std::move(ids)}}},
       {"status", {{"ready", true}, {"replicas", replicas.value_or(static_cast<int>(nodes.size()))}}}});
}

Seen& Seen::v1beta1_contract() {
  seen_.infra.contract = api::contract::ContractVersion::V1Beta1;
  seen_.bootstrap.contract = api::contract::ContractVersion::V1Beta1;
  return *this;
}

Seen& Seen::knows(const std::vector<std::string>& nodes) {
  std::vector<Text> ids;
  for (const auto& node : nodes) ids.emplace_back(id_of(node));
  pool.spec.provider_id_list = std::move(ids);
  return *this;
}

Seen& Seen::referred(const std::vector<std::string>& nodes) {
  for (const auto& name : nodes) {
    const api::Node node = builders::a_node(name);
    pool.status.node_refs.push_back({.kind = "Node"_text,
                                     .name = node.metadata.name,
                                     .uid = node.metadata.uid,
                                     .api_version = "v1"_text});
    seen_.former.push_back(std::make_shared<const api::Node>(node));
  }
  return *this;
}

Seen& Seen::with(const api::Node& node) {
  seen_.instances.push_back(
      {.provider_id = node.spec.provider_id, .node = std::make_shared<const api::Node>(node)});
  return connected();
}

Seen& Seen::without_node(std::string_view name) {
  seen_.instances.push_back({.provider_id = Text(id_of(name))});
  return connected();
}

Seen& Seen::connected() {
  seen_.reach = {.connected = true};
  seen_.connected = true;
  return *this;
}

Seen& Seen::with(const builders::MachineBuilder& machine) {
  seen_.machines.machines.push_back(machine.shared());
  return *this;
}

Seen& Seen::boxes(const std::vector<std::string>& names) {
  seen_.machines.state = MachinesSeen::State::Known;
  seen_.machines.resource = kBoxes;
  for (const auto& name : names) {
    const json::value document = {{"apiVersion", kBoxes.api_version()},
                                  {"kind", kBoxes.kind},
                                  {"metadata", {{"name", name}, {"namespace", "default"}}},
                                  {"spec", {{"providerID", id_of(name)}}}};
    seen_.machines.objects.push_back(std::make_shared<const api::contract::ContractObject>(
        api::from_json<api::contract::ContractObject>(document).value()));
  }
  return *this;
}

Observation Seen::seen() const {
  Observation all = seen_;
  all.pool = std::make_shared<const api::MachinePool>(pool);
  all.infra_says = read_infra(all.infra, pool);
  return all;
}

api::MachinePool Seen::reported(Effects effects) const {
  const Observation all = seen();
  const Plan planned = decide(all);
  effects.pool = planned.wanted;
  effects.pool.status = pool.status;
  return report(all, planned, effects).after;
}

}  // namespace capstan::controllers::machinepool
