// The real kubectl, doing what people do with it.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

constexpr std::string_view kWidget = R"(apiVersion: conformance.capstan.dev/v1
kind: Widget
metadata:
  name: w
  labels: {app: x}
spec:
  replicas: 2
  mode: Fast
)";

constexpr std::string_view kList = R"(apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: m}
  data: {k: v}
- apiVersion: conformance.capstan.dev/v1
  kind: Widget
  metadata: {name: w}
  spec:
    replicas: 2
    mode: Fast
)";

constexpr std::string_view kDeployment = R"(apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata:
  name: workers
spec:
  clusterName: c
  replicas: 3
  selector: {matchLabels: {a: b}}
  template:
    metadata: {labels: {a: b}}
    spec:
      clusterName: c
      version: v1.36.3
      bootstrap: {dataSecretName: d}
      infrastructureRef: {apiGroup: infrastructure.cluster.x-k8s.io, kind: DriverMachineTemplate, name: i}
)";

std::string run(Session& s, const std::string& arguments, std::string_view input = "", int exit_code = 0) {
  const Session::Run result = s.kubectl(arguments, input);
  s.expect(result.exit_code == exit_code, "kubectl " + arguments + " exits " + std::to_string(exit_code) +
                                              ", got " + std::to_string(result.exit_code) + ": " +
                                              result.out);
  return result.out;
}

const Script kPlain[] = {
    {"kubectl: create and get",
     [](Session& s) {
       s.expect_contains(run(s, "create -f -", kWidget), "widget.conformance.capstan.dev/w created");
       const std::string out = run(s, "get widgets");
       s.expect_contains(out, "NAME   REPLICAS   MODE   READY   AGE");
       s.expect_contains(out, "w      2          Fast");
     }},
    {"kubectl: get by short name and by category",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       s.expect_contains(run(s, "get wd"), "Fast");
       s.expect_contains(run(s, "get gear"), "w ");
     }},
    {"kubectl: get -o wide shows more columns",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       s.expect_contains(run(s, "get wd -o wide"), "NOTE");
     }},
    {"kubectl: get -o yaml round-trips through apply",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       const std::string yaml = run(s, "get wd w -o yaml");
       s.expect_contains(run(s, "apply --server-side --force-conflicts -f -", kWidget), "serverside-applied");
       s.expect_contains(yaml, "mode: Fast");
     }},
    {"kubectl: get of nothing says so",
     [](Session& s) {
       s.expect_contains(run(s, "get widgets"), "No resources found in " + s.ns() + " namespace.");
     }},
    {"kubectl: get of a missing name fails",
     [](Session& s) {
       s.expect_contains(run(s, "get wd none", "", 1),
                         "Error from server (NotFound): widgets.conformance.capstan.dev \"none\" not found");
     }},
    {"kubectl: an unknown kind fails",
     [](Session& s) {
       s.expect_contains(run(s, "get nonsense", "", 1),
                         "the server doesn't have a resource type \"nonsense\"");
     }},
    {"kubectl: apply creates, changes and leaves alone",
     [](Session& s) {
       s.expect_contains(run(s, "apply -f -", kWidget), "created");
       s.expect_contains(run(s, "apply -f -", kWidget), "unchanged");
       std::string changed(kWidget);
       changed.replace(changed.find("replicas: 2"), 11, "replicas: 5");
       s.expect_contains(run(s, "apply -f -", changed), "configured");
       s.expect_contains(run(s, "get wd w -o jsonpath={.spec.replicas}"), "5");
     }},
    {"kubectl: apply --server-side twice writes once",
     [](Session& s) {
       run(s, "apply --server-side -f -", kWidget);
       const std::string before = run(s, "get wd w -o jsonpath={.metadata.resourceVersion}");
       run(s, "apply --server-side -f -", kWidget);
       s.expect(run(s, "get wd w -o jsonpath={.metadata.resourceVersion}") == before, "the version stays");
     }},
    {"kubectl: apply --server-side reports a conflict",
     [](Session& s) {
       run(s, "apply --server-side --field-manager=one -f -", kWidget);
       std::string changed(kWidget);
       changed.replace(changed.find("replicas: 2"), 11, "replicas: 5");
       s.expect_contains(run(s, "apply --server-side --field-manager=two -f -", changed, 1),
                         "conflict with \"one\": .spec.replicas");
     }},
    {"kubectl: apply of a core kind",
     [](Session& s) {
       const char* map = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {k: v}\n";
       s.expect_contains(run(s, "apply -f -", map), "configmap/m created");
       s.expect_contains(run(s, "apply -f -", map), "configmap/m unchanged");
     }},
    {"kubectl: apply of a List creates every object of it",
     [](Session& s) {
       const std::string list = std::string(kList);
       const std::string out = run(s, "apply -f -", list);
       s.expect_contains(out, "configmap/m created");
       s.expect_contains(out, "widget.conformance.capstan.dev/w created");
       const std::string again = run(s, "apply -f -", list);
       s.expect_contains(again, "configmap/m unchanged");
       s.expect_contains(again, "widget.conformance.capstan.dev/w unchanged");
     }},
    {"kubectl: apply of a List refuses an unknown field",
     [](Session& s) {
       const std::string out = run(s, "apply -f -", std::string(kList) + "    nothing: 1\n", 1);
       s.expect_contains(out, "unknown field");
       s.expect_contains(out, "nothing");
       run(s, "get wd w", "", 1);
     }},
    {"kubectl: apply refuses an unknown field",
     [](Session& s) {
       std::string wrong(kWidget);
       wrong += "  nothing: 1\n";
       s.expect_contains(run(s, "apply -f -", wrong, 1), "unknown field \"spec.nothing\"");
     }},
    {"kubectl: apply --dry-run=server stores nothing",
     [](Session& s) {
       s.expect_contains(run(s, "apply --dry-run=server -f -", kWidget), "created (server dry run)");
       run(s, "get wd w", "", 1);
     }},
    {"kubectl: diff shows the change",
     [](Session& s) {
       run(s, "apply -f -", kWidget);
       std::string changed(kWidget);
       changed.replace(changed.find("replicas: 2"), 11, "replicas: 5");
       s.expect_contains(run(s, "diff -f -", changed, 1), "+  replicas: 5");
     }},
    {"kubectl: scale",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       s.expect_contains(run(s, "scale wd/w --replicas=7"), "scaled");
       s.expect_contains(run(s, "get wd w -o jsonpath={.spec.replicas}"), "7");
     }},
    {"kubectl: scale --current-replicas guards",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       s.expect_contains(run(s, "scale wd/w --current-replicas=9 --replicas=7", "", 1),
                         "Expected replicas to be 9, was 2");
     }},
    {"kubectl: label, annotate, and remove them",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       s.expect_contains(run(s, "label wd w tier=front"), "labeled");
       s.expect_contains(run(s, "annotate wd w note=hi"), "annotated");
       s.expect_contains(run(s, "get wd -l tier=front"), "w ");
       s.expect_contains(run(s, "label wd w tier-"), "unlabeled");
       s.expect_contains(run(s, "get wd -l tier=front"), "No resources found");
     }},
    {"kubectl: patch by merge and by JSON",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       run(s, R"(patch wd w --type=merge -p '{"spec":{"mode":"Slow"}}')");
       run(s, R"(patch wd w --type=json -p '[{"op":"replace","path":"/spec/replicas","value":4}]')");
       s.expect_contains(run(s, "get wd w -o jsonpath={.spec.mode}{.spec.replicas}"), "Slow4");
     }},
    {"kubectl: patch of a status",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       run(s, R"(patch wd w --subresource=status --type=merge -p '{"status":{"phase":"Up"}}')");
       s.expect_contains(run(s, "get wd w -o jsonpath={.status.phase}"), "Up");
     }},
    {"kubectl: describe shows fields and events",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       const std::string out = run(s, "describe wd w");
       s.expect_contains(out, "Name:         w");
       s.expect_contains(out, "Mode:      Fast");
       s.expect_contains(out, "Events:");
     }},
    {"kubectl: explain a field",
     [](Session& s) {
       const std::string out = run(s, "explain widget.spec.replicas");
       s.expect_contains(out, "FIELD: replicas <integer>");
       s.expect_contains(out, "how many are wanted");
     }},
    {"kubectl: explain a whole spec with its enums",
     [](Session& s) {
       const std::string out = run(s, "explain widget.spec");
       s.expect_contains(out, "ports\t<[]Object>");
       s.expect_contains(out, "enum: Fast, Slow");
     }},
    {"kubectl: wait for a condition",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       run(s,
           R"(patch wd w --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Ready","status":"True"}]}}')");
       s.expect_contains(run(s, "wait --for=condition=Ready wd/w --timeout=10s"), "condition met");
     }},
    {"kubectl: wait times out",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       s.expect_contains(run(s, "wait --for=condition=Ready wd/w --timeout=1s", "", 1),
                         "timed out waiting for the condition");
     }},
    {"kubectl: delete waits until it is gone",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       s.expect_contains(run(s, "delete wd w"), "deleted");
       run(s, "get wd w", "", 1);
     }},
    {"kubectl: delete --cascade=orphan keeps children",
     [](Session& s) {
       const auto owner = s.made_config_map("owner");
       s.made(
           s.core("configmaps"),
           parse(
               R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"child","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"owner","uid":")" +
               std::string(at(owner, "metadata.uid").as_string()) + "\"}]}}"));
       run(s, "delete configmap owner --cascade=orphan");
       s.expect_status(s.get(s.core("configmaps", "child")), 200);
     }},
    {"kubectl: delete by label",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       s.expect_contains(run(s, "delete wd -l app=x"), "deleted");
     }},
    {"kubectl: api-resources lists the kind",
     [](Session& s) {
       const std::string out = run(s, "api-resources --api-group=conformance.capstan.dev");
       s.expect_contains(out, "widgets");
       s.expect_contains(out, "wd");
     }},
    {"kubectl: version answers",
     [](Session& s) { s.expect_contains(run(s, "version"), "Server Version: v1."); }},
    {"kubectl: create namespace and secret",
     [](Session& s) {
       s.expect_contains(run(s, "create secret generic pass --from-literal=k=v"), "secret/pass created");
       s.expect_contains(run(s, "get secret pass -o jsonpath={.data.k}"), "dg==");
     }},
    {"kubectl: replace with an old version fails",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       const std::string old = run(s, "get wd w -o yaml");
       run(s, "scale wd/w --replicas=7");
       s.expect_contains(run(s, "replace -f -", old, 1), "the object has been modified");
     }},
    {"kubectl: get --watch with a timeout streams",
     [](Session& s) {
       run(s, "create -f -", kWidget);
       s.expect_contains(run(s, "get wd --watch --request-timeout=2s"), "w      2");
     }},
    {"kubectl: get machinedeployments by short name with the known columns",
     [](Session& s) {
       s.expect_contains(run(s, "apply -f -", kDeployment),
                         "machinedeployment.cluster.x-k8s.io/workers created");
       const std::string out = run(s, "get md");
       for (const char* column : {"NAME", "CLUSTER", "AVAILABLE", "DESIRED", "CURRENT", "READY", "UP-TO-DATE",
                                  "PHASE", "AGE", "VERSION"})
         s.expect_contains(out, column);
       s.expect_contains(out, "v1.36.3");
     }},
    {"kubectl: scale a machine deployment",
     [](Session& s) {
       run(s, "apply -f -", kDeployment);
       run(s, "scale md/workers --replicas=9");
       s.expect_contains(run(s, "get md workers -o jsonpath={.spec.replicas}"), "9");
     }},
    {"kubectl: explain machine.spec",
     [](Session& s) {
       const std::string out = run(s, "explain machine.spec");
       s.expect_contains(out, "clusterName\t<string> -required-");
       s.expect_contains(out, "providerID\t<string>");
       s.expect_contains(out, "bootstrap\t<Object> -required-");
     }},
    {"kubectl: explain machinedeployment.spec.rollout --recursive",
     [](Session& s) {
       s.expect_contains(run(s, "explain machinedeployment.spec.rollout --recursive"), "maxSurge");
     }},
    {"kubectl: a server-side dry run of an invalid machine names the field",
     [](Session& s) {
       std::string wrong(kDeployment);
       wrong.replace(wrong.find("replicas: 3"), 11, "replicas: many");
       s.expect_contains(run(s, "apply --dry-run=server -f -", wrong, 1), "spec.replicas");
     }},
};

}  // namespace

std::span<const Script> kubectl_scripts() {
  static const std::vector<Script> scripts = [] {
    std::vector<Script> all(std::begin(kPlain), std::end(kPlain));
    for (Script& script : all) script.needs = Needs::Kubectl;
    return all;
  }();
  return scripts;
}

}  // namespace capstan::conformance
