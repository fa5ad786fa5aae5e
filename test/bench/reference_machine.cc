#include "test/bench/reference_machine.h"

#include <fmt/format.h>

namespace capstan::bench {
namespace {

constexpr int kPerSet = 33;

std::string uid(int kind, int number) { return fmt::format("{:08x}-1234-4abc-9def-{:012x}", kind, number); }

std::string condition(std::string_view type, int number) {
  return fmt::format(
      R"({{"type":"{}","status":"True","observedGeneration":1,"lastTransitionTime":"2026-01-02T03:{:02}:{:02}Z","reason":"{}","message":""}})",
      type, number / 60 % 60, number % 60, type);
}

std::string metadata(int number) {
  const int set = number / kPerSet;
  return fmt::format(
      R"({{"name":"workers-{0:05}-x{1:06}","namespace":"fleet-{2}","uid":"{3}","resourceVersion":"{4}","generation":1,"creationTimestamp":"2026-01-02T03:04:05Z",)"
      R"("labels":{{"cluster.x-k8s.io/cluster-name":"cluster-{2}","cluster.x-k8s.io/deployment-name":"workers-{0:05}","cluster.x-k8s.io/set-name":"workers-{0:05}-set","machine-template-hash":"{0}","topology.kubernetes.io/zone":"zone-{5}"}},)"
      R"("finalizers":["machine.cluster.x-k8s.io"],"ownerReferences":[{{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineSet","name":"workers-{0:05}-set","uid":"{6}","controller":true,"blockOwnerDeletion":true}}],)"
      R"("managedFields":[{{"manager":"capi-machineset","operation":"Apply","apiVersion":"cluster.x-k8s.io/v1beta2","time":"2026-01-02T03:04:05Z","fieldsType":"FieldsV1","fieldsV1":{{"f:metadata":{{"f:finalizers":{{"v:\"machine.cluster.x-k8s.io\"":{{}}}},"f:labels":{{"f:cluster.x-k8s.io/cluster-name":{{}},"f:cluster.x-k8s.io/deployment-name":{{}},"f:cluster.x-k8s.io/set-name":{{}},"f:machine-template-hash":{{}},"f:topology.kubernetes.io/zone":{{}}}},"f:ownerReferences":{{"k:{{\"uid\":\"{6}\"}}":{{}}}}}},"f:spec":{{"f:bootstrap":{{"f:configRef":{{}}}},"f:clusterName":{{}},"f:infrastructureRef":{{}},"f:version":{{}}}}}}}},)"
      R"({{"manager":"manager","operation":"Update","apiVersion":"cluster.x-k8s.io/v1beta2","time":"2026-01-02T03:05:05Z","fieldsType":"FieldsV1","subresource":"status","fieldsV1":{{"f:status":{{".":{{}},"f:addresses":{{}},"f:conditions":{{".":{{}},"k:{{\"type\":\"Ready\"}}":{{".":{{}},"f:status":{{}}}}}},"f:nodeInfo":{{}},"f:nodeRef":{{}},"f:phase":{{}}}}}}}}]}})",
      set, number, set % 100, uid(1, number), 1000 + number, number % 3, uid(2, set));
}

std::string spec(int number) {
  return fmt::format(
      R"({{"clusterName":"cluster-{0}","version":"v1.36.3","providerID":"sim://zone-{1}/vm-{2:08}","failureDomain":"zone-{1}",)"
      R"("bootstrap":{{"configRef":{{"apiGroup":"bootstrap.cluster.x-k8s.io","kind":"CloudConfig","name":"workers-{3:05}-x{2:06}"}},"dataSecretName":"workers-{3:05}-x{2:06}"}},)"
      R"("infrastructureRef":{{"apiGroup":"infrastructure.cluster.x-k8s.io","kind":"DriverMachine","name":"workers-{3:05}-x{2:06}"}}}})",
      number / kPerSet % 100, number % 3, number, number / kPerSet);
}

std::string status(int number) {
  std::string conditions;
  for (const auto* type :
       {"Available", "Ready", "BootstrapConfigReady", "InfrastructureReady", "NodeHealthy"})
    conditions += (conditions.empty() ? "" : ",") + condition(type, number);
  return fmt::format(
      R"({{"observedGeneration":1,"phase":"Running","initialization":{{"bootstrapDataSecretCreated":true,"infrastructureProvisioned":true}},"lastUpdated":"2026-01-02T03:04:05Z","nodeRef":{{"name":"workers-{0:05}-x{1:06}"}},)"
      R"("addresses":[{{"type":"InternalIP","address":"10.{2}.{3}.{4}"}},{{"type":"Hostname","address":"workers-{0:05}-x{1:06}"}},{{"type":"InternalDNS","address":"workers-{0:05}-x{1:06}.internal"}}],)"
      R"("nodeInfo":{{"architecture":"amd64","bootID":"{5}","containerRuntimeVersion":"containerd://2.1.0","kernelVersion":"6.12.0","kubeProxyVersion":"","kubeletVersion":"v1.36.3","machineID":"{6}","operatingSystem":"linux","osImage":"Debian GNU/Linux 12","systemUUID":"{6}"}},"conditions":[{7}]}})",
      number / kPerSet, number, number / 65536 % 256, number / 256 % 256, number % 256, uid(3, number),
      uid(4, number), conditions);
}

}  // namespace

std::string reference_machine(int number) {
  return fmt::format(
      R"({{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine","metadata":{},"spec":{},"status":{}}})",
      metadata(number), spec(number), status(number));
}

std::string reference_list(int first, int count) {
  std::string text =
      R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"MachineList","metadata":{"resourceVersion":"999999"},"items":[)";
  for (int i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + reference_machine(first + i);
  return text + "]}";
}

}  // namespace capstan::bench
