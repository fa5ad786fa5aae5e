// Observations for tests of decisions and reports: `seen_of(a_machine())` is a Machine of a Cluster that runs
// and can be reached, with both provider objects there, owned and silent.
#pragma once

#include <boost/json.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "api/schema/decode.h"
#include "controllers/machine/decide.h"
#include "controllers/machine/report.h"
#include "kube/typed.h"
#include "runtime/ownership.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"

namespace capstan::controllers::machine {

namespace json = boost::json;
using builders::a_cluster;
using builders::a_machine;
using builders::noon;
using builders::uid_of;

constexpr Time kNow = noon() + Seconds(3600);

// A provider's object of that kind as the cache has it, controlled by `machine`.
inline ExternalSeen object_of(std::string_view kind, const api::Machine& machine, json::object spec = {},
                              json::object status = {}) {
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

// The same object, changed.
template <typename Fn>
ExternalSeen changed(ExternalSeen external, Fn&& change) {
  auto object = *external.object;
  std::forward<Fn>(change)(object);
  external.object = std::make_shared<const api::contract::ContractObject>(std::move(object));
  return external;
}

inline ExternalSeen in_state(ExternalSeen::State state, std::string problem = {}) {
  return {.state = state, .problem = std::move(problem)};
}

inline void bootstrap_says(Observation& seen, json::object status) {
  seen.bootstrap = object_of("KubeadmConfig", *seen.machine, {}, std::move(status));
}
inline void infra_says(Observation& seen, json::object spec, json::object status) {
  seen.infra = object_of("DockerMachine", *seen.machine, std::move(spec), std::move(status));
}
inline void bootstrap_done(Observation& seen) {
  bootstrap_says(seen, {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", "m1-data"}});
}
inline void infra_done(Observation& seen) {
  infra_says(seen, {{"providerID", "docker:////m1"}}, {{"initialization", {{"provisioned", true}}}});
}
inline void on_node(Observation& seen, api::Node node) {
  seen.node.lookup = NodeSeen::Lookup::One;
  seen.node.node = std::make_shared<const api::Node>(std::move(node));
}

inline Observation seen_of(api::Machine machine, api::Cluster cluster = a_cluster().running().build()) {
  Observation seen{.now = kNow, .machine = std::make_shared<const api::Machine>(std::move(machine))};
  seen.cluster = std::make_shared<const api::Cluster>(std::move(cluster));
  seen.node.reach = {.connected = true, .last_success = kNow};
  bootstrap_says(seen, {});
  infra_says(seen, {}, {});
  return seen;
}

// Decided, nothing went wrong, reported.
inline Report reported(const Observation& seen) {
  const Plan plan = decide(seen);
  Effects effects{.machine = plan.wanted};
  effects.machine.status = seen.machine->status;
  if (seen.deleting()) {
    effects.deletion = DeletionReport{.reason = api::reason::kDeleting, .message = "Deletion started"};
  }
  return report(seen, plan, effects);
}

}  // namespace capstan::controllers::machine
