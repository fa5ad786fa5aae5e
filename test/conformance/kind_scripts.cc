// Our own kinds behave as a Cluster API user knows them: constraints, defaults, columns, short names.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

constexpr const char* kGroup = "cluster.x-k8s.io/v1beta2";

json::value machine(std::string_view name, std::string_view spec = "", std::string_view metadata = "") {
  return parse(
      R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine","metadata":{"name":")" +
      std::string(name) + "\"" + std::string(metadata) +
      R"(},"spec":{"clusterName":"c","bootstrap":{"dataSecretName":"d"},"infrastructureRef":{"apiGroup":"infrastructure.cluster.x-k8s.io","kind":"DriverMachine","name":"i"})" +
      std::string(spec) + "}}");
}

json::value deployment(std::string_view name, std::string_view spec = "") {
  return parse(
      R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineDeployment","metadata":{"name":")" +
      std::string(name) +
      R"("},"spec":{"clusterName":"c","selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"clusterName":"c","bootstrap":{"dataSecretName":"d"},"infrastructureRef":{"apiGroup":"infrastructure.cluster.x-k8s.io","kind":"DriverMachineTemplate","name":"i"}}})" +
      std::string(spec) + "}}");
}

Reply try_machine(Session& s, std::string_view spec) {
  return s.post(s.group(kGroup, "machines"), machine("m", spec));
}

Reply try_health_check(Session& s, std::string_view machine_condition) {
  return s.post(
      s.group(kGroup, "machinehealthchecks"),
      parse(
          R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineHealthCheck","metadata":{"name":"h"},"spec":{"clusterName":"c","selector":{"matchLabels":{"a":"b"}},"checks":{"unhealthyMachineConditions":[{"type":")" +
          std::string(machine_condition) + R"(","status":"False","timeoutSeconds":60}]}}})"));
}

const Script kScripts[] = {
    {"kinds: a machine is taken", [](Session& s) { s.expect_status(try_machine(s, ""), 201); }},
    {"kinds: a machine without a cluster name is refused",
     [](Session& s) {
       auto nameless = machine("m");
       nameless.as_object()["spec"].as_object().erase("clusterName");

       s.expect_refused(s.post(s.group(kGroup, "machines"), nameless), 422, "Invalid",
                        "spec.clusterName: Required value");
     }},
    {"kinds: an empty cluster name is refused",
     [](Session& s) {
       auto nameless = machine("m");
       nameless.as_object()["spec"].as_object()["clusterName"] = "";

       s.expect_refused(s.post(s.group(kGroup, "machines"), nameless), 422, "Invalid", "spec.clusterName");
     }},
    {"kinds: a cluster name of 64 characters is refused",
     [](Session& s) {
       auto named = machine("m");
       named.as_object()["spec"].as_object()["clusterName"] = std::string(64, 'a');

       s.expect_refused(s.post(s.group(kGroup, "machines"), named), 422, "Invalid", "spec.clusterName");
     }},
    {"kinds: negative minReadySeconds are refused",
     [](Session& s) {
       s.expect_refused(try_machine(s, R"(,"minReadySeconds":-1)"), 422, "Invalid", "spec.minReadySeconds");
     }},
    {"kinds: minReadySeconds of zero are taken",
     [](Session& s) { s.expect_status(try_machine(s, R"(,"minReadySeconds":0)"), 201); }},
    {"kinds: a negative drain timeout is refused",
     [](Session& s) {
       s.expect_refused(try_machine(s, R"(,"deletion":{"nodeDrainTimeoutSeconds":-1})"), 422, "Invalid",
                        "nodeDrainTimeoutSeconds");
     }},
    {"kinds: a drain timeout is taken",
     [](Session& s) {
       s.expect_equal(try_machine(s, R"(,"deletion":{"nodeDrainTimeoutSeconds":0})").body,
                      "spec.deletion.nodeDrainTimeoutSeconds", 0);
     }},
    {"kinds: a readiness gate's polarity is an enum",
     [](Session& s) {
       s.expect_refused(try_machine(s, R"(,"readinessGates":[{"conditionType":"X","polarity":"Sideways"}])"),
                        422, "Invalid", "polarity");
     }},
    {"kinds: the same readiness gate twice is refused",
     [](Session& s) {
       s.expect_refused(try_machine(s, R"(,"readinessGates":[{"conditionType":"X"},{"conditionType":"X"}])"),
                        422, "Invalid", "spec.readinessGates[1]: Duplicate value");
     }},
    {"kinds: an empty infrastructure kind is refused",
     [](Session& s) {
       auto odd = machine("m");
       odd.as_object()["spec"].as_object()["infrastructureRef"].as_object()["kind"] = "";

       s.expect_refused(s.post(s.group(kGroup, "machines"), odd), 422, "Invalid",
                        "spec.infrastructureRef.kind");
     }},
    {"kinds: unknown fields of a machine are pruned",
     [](Session& s) { s.expect_absent(try_machine(s, R"(,"nothing":1)").body, "spec.nothing"); }},
    {"kinds: unknown fields are refused when strict",
     [](Session& s) {
       s.expect_refused(
           s.post(s.group(kGroup, "machines") + "?fieldValidation=Strict", machine("m", R"(,"nothing":1)")),
           400, "BadRequest", "unknown field \"spec.nothing\"");
     }},
    {"kinds: a condition without a reason is refused",
     [](Session& s) {
       s.made(s.group(kGroup, "machines"), machine("m"));

       s.expect_refused(
           s.merge(
               s.group(kGroup, "machines", "m") + "/status",
               R"({"status":{"conditions":[{"type":"Ready","status":"True","lastTransitionTime":"2030-01-01T00:00:00Z","message":""}]}})"),
           422, "Invalid", "reason");
     }},
    {"kinds: a whole condition is taken",
     [](Session& s) {
       s.made(s.group(kGroup, "machines"), machine("m"));

       s.expect_status(
           s.merge(
               s.group(kGroup, "machines", "m") + "/status",
               R"({"status":{"conditions":[{"type":"Ready","status":"True","reason":"Ready","lastTransitionTime":"2030-01-01T00:00:00Z","message":""}]}})"),
           200);
     }},
    {"kinds: an unknown machine phase is refused",
     [](Session& s) {
       s.made(s.group(kGroup, "machines"), machine("m"));

       s.expect_refused(
           s.merge(s.group(kGroup, "machines", "m") + "/status", R"({"status":{"phase":"Dancing"}})"), 422,
           "Invalid", "status.phase");
     }},
    {"kinds: conditions merge by type under apply",
     [](Session& s) {
       s.made(s.group(kGroup, "machines"), machine("m"));
       const auto apply = [&](std::string_view manager, std::string_view type) {
         return s.apply(
             s.group(kGroup, "machines", "m") + "/status", manager,
             R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine","metadata":{"name":"m"},"status":{"conditions":[{"type":")" +
                 std::string(type) +
                 R"(","status":"True","reason":"R","lastTransitionTime":"2030-01-01T00:00:00Z","message":""}]}})");
       };
       apply("one", "A");

       s.expect_present(apply("two", "B").body, "status.conditions[1]");
     }},
    {"kinds: a deployment is taken, its strategy left to the controller",
     [](Session& s) {
       s.expect_status(s.post(s.group(kGroup, "machinedeployments"), deployment("d")), 201);
     }},
    {"kinds: a deployment's surge is a number or percent",
     [](Session& s) {
       s.expect_equal(
           s.post(
                s.group(kGroup, "machinedeployments"),
                deployment(
                    "d",
                    R"(,"rollout":{"strategy":{"type":"RollingUpdate","rollingUpdate":{"maxSurge":"30%","maxUnavailable":1}}})"))
               .body,
           "spec.rollout.strategy.rollingUpdate.maxSurge", "30%");
     }},
    {"kinds: an unknown strategy is refused",
     [](Session& s) {
       s.expect_refused(s.post(s.group(kGroup, "machinedeployments"),
                               deployment("d", R"(,"rollout":{"strategy":{"type":"Recreate"}})")),
                        422, "Invalid", "spec.rollout.strategy.type");
     }},
    {"kinds: a deployment scales through its subresource",
     [](Session& s) {
       s.made(s.group(kGroup, "machinedeployments"), deployment("d", R"(,"replicas":1)"));

       s.expect_equal(
           s.merge(s.group(kGroup, "machinedeployments", "d") + "/scale", R"({"spec":{"replicas":4}})").body,
           "spec.replicas", 4);
       s.expect_equal(s.get(s.group(kGroup, "machinedeployments", "d")).body, "spec.replicas", 4);
     }},
    {"kinds: a set's deletion order is an enum",
     [](Session& s) {
       auto set = deployment("s", R"(,"deletion":{"order":"Loudest"})");
       set.as_object()["kind"] = "MachineSet";

       s.expect_refused(s.post(s.group(kGroup, "machinesets"), set), 422, "Invalid", "spec.deletion.order");
     }},
    {"kinds: a set's deletion order is taken",
     [](Session& s) {
       auto set = deployment("s", R"(,"deletion":{"order":"Oldest"})");
       set.as_object()["kind"] = "MachineSet";

       s.expect_status(s.post(s.group(kGroup, "machinesets"), set), 201);
     }},
    {"kinds: a health check is taken",
     [](Session& s) {
       s.expect_status(
           s.post(
               s.group(kGroup, "machinehealthchecks"),
               parse(
                   R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineHealthCheck","metadata":{"name":"h"},"spec":{"clusterName":"c","selector":{"matchLabels":{"a":"b"}},"checks":{"nodeStartupTimeoutSeconds":600}}})")),
           201);
     }},
    {"kinds: a health check without a selector is refused",
     [](Session& s) {
       s.expect_refused(
           s.post(
               s.group(kGroup, "machinehealthchecks"),
               parse(
                   R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineHealthCheck","metadata":{"name":"h"},"spec":{"clusterName":"c"}})")),
           422, "Invalid", "spec.selector: Required value");
     }},
    {"kinds: a drain rule is taken",
     [](Session& s) {
       s.expect_status(
           s.post(
               s.group(kGroup, "machinedrainrules"),
               parse(
                   R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineDrainRule","metadata":{"name":"r"},"spec":{"drain":{"behavior":"Skip"},"pods":[{"selector":{"matchLabels":{"a":"b"}}}]}})")),
           201);
     }},
    {"kinds: a drain rule's behaviour is an enum",
     [](Session& s) {
       s.expect_refused(
           s.post(
               s.group(kGroup, "machinedrainrules"),
               parse(
                   R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineDrainRule","metadata":{"name":"r"},"spec":{"drain":{"behavior":"Maybe"}}})")),
           422, "Invalid", "spec.drain.behavior");
     }},
    {"kinds: a pool is taken",
     [](Session& s) {
       auto pool = deployment("p", R"(,"replicas":2)");
       pool.as_object()["kind"] = "MachinePool";
       pool.as_object()["spec"].as_object().erase("selector");

       s.expect_status(s.post(s.group(kGroup, "machinepools"), pool), 201);
     }},
    {"kinds: a cluster is taken",
     [](Session& s) {
       s.expect_status(
           s.post(
               s.group(kGroup, "clusters"),
               parse(
                   R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Cluster","metadata":{"name":"c"},"spec":{"infrastructureRef":{"apiGroup":"infrastructure.cluster.x-k8s.io","kind":"DriverCluster","name":"i"}}})")),
           201);
     }},
    {"kinds: a cluster keeps the topology it was given",
     [](Session& s) {
       const Reply made = s.post(
           s.group(kGroup, "clusters"),
           parse(
               R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Cluster","metadata":{"name":"c"},"spec":{"topology":{"classRef":{"name":"k"},"version":"v1.36.0"}}})"));

       s.expect_status(made, 201);
       s.expect_equal(made.body, "spec.topology.classRef.name", "k");
     }},
    {"kinds: an endpoint's port has a range",
     [](Session& s) {
       s.expect_refused(
           s.post(
               s.group(kGroup, "clusters"),
               parse(
                   R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Cluster","metadata":{"name":"c"},"spec":{"controlPlaneEndpoint":{"host":"h","port":70000}}})")),
           422, "Invalid", "spec.controlPlaneEndpoint.port");
     }},
    {"kinds: an empty cluster spec is refused by rule",
     [](Session& s) {
       s.expect_status(
           s.post(
               s.group(kGroup, "clusters"),
               parse(
                   R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Cluster","metadata":{"name":"c"},"spec":{}})")),
           422);
     }},
    {"kinds: a drain rule that repeats a selector is refused by rule",
     [](Session& s) {
       s.expect_refused(
           s.post(
               s.group(kGroup, "machinedrainrules"),
               parse(
                   R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineDrainRule","metadata":{"name":"r"},"spec":{"drain":{"behavior":"Skip"},"pods":[{"selector":{"matchLabels":{"a":"b"}}},{"selector":{"matchLabels":{"a":"b"}}}]}})")),
           422, "Invalid", "spec.pods");
     },
     Needs::RealServerOnly},
    {"kinds: a health check on a condition we write ourselves is refused by rule",
     [](Session& s) { s.expect_refused(try_health_check(s, "Ready"), 422, "Invalid", "spec.checks"); },
     Needs::RealServerOnly},
    {"kinds: a health check on a condition of others is taken by the same rule",
     [](Session& s) { s.expect_status(try_health_check(s, "DiskFine"), 201); }, Needs::RealServerOnly},
    {"kinds: a machine's table has the known columns",
     [](Session& s) {
       s.made(s.group(kGroup, "machines"), machine("m"));

       const Reply reply = s.send("GET", s.group(kGroup, "machines"), "", "",
                                  {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io"}});

       s.expect_equal(reply.body, "columnDefinitions[1].name", "Cluster");
       s.expect_equal(reply.body, "rows[0].cells[1]", "c");
     }},
    {"kinds: carry their contract label",
     [](Session& s) {
       s.expect_present(
           s.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/machines.cluster.x-k8s.io").body,
           R"(metadata.labels."cluster.x-k8s.io/v1beta2")");
     }},
};

}  // namespace

std::span<const Script> kind_scripts() { return kScripts; }

}  // namespace capstan::conformance
