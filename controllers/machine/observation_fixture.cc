#include "controllers/machine/observation_fixture.h"

#include "api/schema/decode.h"
#include "kube/typed.h"
#include "runtime/ownership.h"

namespace capstan::controllers::machine {

ExternalSeen object_of(std::string_view kind, const api::Machine& machine, json::object spec,
                       json::object status) {
  const json::value document = {
      {"apiVersion", "x.cluster.x-k8s.io/v1beta2"},
      {"kind", kind},
      {"metadata",
       {{"name", machine.metadata.name.view()},
        {"namespace", machine.metadata.namespace_.view()},
        {"labels", {{"cluster.x-k8s.io/cluster-name", machine.spec.cluster_name.view()}}},
        {"annotations", {{"cluster.x-k8s.io/cloned-from-name", "t1"}}}}},
      {"spec", std::move(spec)},
      {"status", std::move(status)}};
  auto object = api::from_json<api::contract::ContractObject>(document).value();
  object.metadata.owner_references = api::OwnerReferences(
      {runtime::controller_reference(kube::resource_of<api::Machine>(), machine.metadata)});
  return {.state = ExternalSeen::State::Found,
          .resource = {.group = "x.cluster.x-k8s.io", .version = "v1beta2", .kind = std::string(kind)},
          .key = {machine.metadata.namespace_.str(), machine.metadata.name.str()},
          .object = std::make_shared<const api::contract::ContractObject>(std::move(object))};
}

ExternalSeen in_state(ExternalSeen::State state, std::string problem) {
  return {.state = state, .problem = std::move(problem)};
}

void bootstrap_says(Observation& seen, json::object status) {
  seen.bootstrap = object_of("KubeadmConfig", *seen.machine, {}, std::move(status));
}

void infra_says(Observation& seen, json::object spec, json::object status) {
  seen.infra = object_of("DockerMachine", *seen.machine, std::move(spec), std::move(status));
}

void bootstrap_done(Observation& seen) {
  bootstrap_says(seen, {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", "m1-data"}});
}

void infra_done(Observation& seen) {
  infra_says(seen, {{"providerID", "docker:////m1"}}, {{"initialization", {{"provisioned", true}}}});
}

void on_node(Observation& seen, api::Node node) {
  seen.node.lookup = NodeSeen::Lookup::One;
  seen.node.node = std::make_shared<const api::Node>(std::move(node));
}

Observation seen_of(api::Machine machine, api::Cluster cluster) {
  Observation seen{.now = kNow, .machine = std::make_shared<const api::Machine>(std::move(machine))};
  seen.cluster = std::make_shared<const api::Cluster>(std::move(cluster));
  seen.node.reach = {.connected = true, .last_success = kNow};
  bootstrap_says(seen, {});
  infra_says(seen, {}, {});
  return seen;
}

Report reported(const Observation& seen) {
  const Plan plan = decide(seen);
  Effects effects{.machine = plan.wanted};
  effects.machine.status = seen.machine->status;
  if (seen.deleting()) {
    effects.deletion = DeletionReport{.reason = api::reason::kDeleting, .message = "Deletion started"};
  }
  return report(seen, plan, effects);
}

}  // namespace capstan::controllers::machine
