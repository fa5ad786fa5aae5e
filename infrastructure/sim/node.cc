#include "infrastructure/sim/node.h"

#include <fmt/format.h>

#include <array>
#include <boost/json.hpp>

#include "api/names.h"
#include "base/hash.h"

namespace capstan::infrastructure::sim {
namespace {

namespace json = boost::json;

constexpr std::string_view kVersionOfNobody = "v1.0.0";  // of a Machine without one
constexpr int kLeaseSeconds = 40;

struct Word {
  std::string_view type;
  std::string_view good;
  std::string_view reason;
  std::string_view message;
};
constexpr std::array kPressures = {
    Word{"MemoryPressure", "False", "KubeletHasSufficientMemory", "kubelet has sufficient memory available"},
    Word{"DiskPressure", "False", "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
    Word{"PIDPressure", "False", "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
};

json::object condition(const Word& word, std::string_view status, Time now) {
  return {{"type", word.type},
          {"status", status},
          {"reason", word.reason},
          {"message", word.message},
          {"lastHeartbeatTime", now.to_string()},
          {"lastTransitionTime", now.to_string()}};
}

json::object ready_condition(bool ready, Time now) {
  if (ready)
    return condition({"Ready", "True", "KubeletReady", "kubelet is posting ready status"}, "True", now);
  return condition({"Ready", "True", "KubeletNotReady", "container runtime network not ready"}, "False", now);
}

json::array conditions(bool ready, Time now) {
  json::array list;
  for (const Word& word : kPressures) list.push_back(condition(word, word.good, now));
  list.push_back(ready_condition(ready, now));
  return list;
}

// Stable UUIDs: what a VM says of itself does not change while it lives.
std::string uuid(std::string_view of, std::string_view which) {
  const std::uint64_t high = hash_combine(hash_bytes(of), hash_bytes(which));
  const std::uint64_t low = mix64(high + 1);
  return fmt::format("{:08x}-{:04x}-4{:03x}-8{:03x}-{:012x}", high >> 32U, high >> 16U & 0xffffU,
                     high & 0xfffU, low >> 52U, low & 0xffffffffffffU);
}

json::object labels(const SimVm& vm) {
  json::object labels = {
      {"kubernetes.io/hostname", vm.vm.name}, {"kubernetes.io/os", "linux"}, {"kubernetes.io/arch", "amd64"}};
  if (!vm.vm_class.empty()) labels["node.kubernetes.io/instance-type"] = vm.vm_class;
  if (!vm.vm.failure_domain.empty()) labels["topology.kubernetes.io/zone"] = vm.vm.failure_domain;
  return labels;
}

json::object capacity() {
  return {{"cpu", "4"}, {"memory", "16Gi"}, {"pods", "110"}, {"ephemeral-storage", "100Gi"}};
}

json::object node_info(const SimVm& vm) {
  const std::string& id = vm.vm.provider_id;
  const std::string version =
      vm.kubernetes_version.empty() ? std::string(kVersionOfNobody) : vm.kubernetes_version;
  return {{"machineID", uuid(id, "machine")}, {"systemUUID", uuid(id, "system")},
          {"bootID", uuid(id, "boot")},       {"kernelVersion", "6.1.0-simulated"},
          {"osImage", "Simulated Linux"},     {"containerRuntimeVersion", "containerd://2.0.0"},
          {"kubeletVersion", version},        {"kubeProxyVersion", ""},
          {"operatingSystem", "linux"},       {"architecture", "amd64"}};
}

json::array addresses(const SimVm& vm) {
  json::array list;
  for (const auto& address : vm.vm.addresses) {
    list.push_back(json::object{{"type", address.type.view()}, {"address", address.address.view()}});
  }
  return list;
}

}  // namespace

json::value node_object(const SimVm& vm, bool ready, Time now) {
  const json::object taint = {{"key", api::taint::kUninitialized}, {"effect", api::taint::kNoSchedule}};
  return json::object{
      {"apiVersion", "v1"},
      {"kind", "Node"},
      {"metadata", json::object{{"name", vm.vm.name}, {"labels", labels(vm)}}},
      {"spec", json::object{{"providerID", vm.vm.provider_id}, {"taints", json::array{taint}}}},
      {"status", json::object{{"capacity", capacity()},
                              {"allocatable", capacity()},
                              {"conditions", conditions(ready, now)},
                              {"addresses", addresses(vm)},
                              {"nodeInfo", node_info(vm)}}}};
}

json::value ready_patch(Time now) {
  return json::object{{"status", json::object{{"conditions", conditions(true, now)}}}};
}

json::value heartbeat_patch(Time now) {
  json::array beats;
  for (const Word& word : kPressures)
    beats.push_back(json::object{{"type", word.type}, {"lastHeartbeatTime", now.to_string()}});
  beats.push_back(json::object{{"type", "Ready"}, {"lastHeartbeatTime", now.to_string()}});
  return json::object{{"status", json::object{{"conditions", std::move(beats)}}}};
}

json::value lost_patch(Time now) {
  constexpr std::string_view kWhy = "Kubelet stopped posting node status.";
  json::array list;
  for (const Word& word : kPressures)
    list.push_back(condition({word.type, "", "NodeStatusUnknown", kWhy}, "Unknown", now));
  list.push_back(condition({"Ready", "", "NodeStatusUnknown", kWhy}, "Unknown", now));
  return json::object{{"status", json::object{{"conditions", std::move(list)}}}};
}

json::value lease_object(const SimVm& vm, MicroTime now) {
  return json::object{{"apiVersion", "coordination.k8s.io/v1"},
                      {"kind", "Lease"},
                      {"metadata", json::object{{"name", vm.vm.name}, {"namespace", "kube-node-lease"}}},
                      {"spec", json::object{{"holderIdentity", vm.vm.name},
                                            {"leaseDurationSeconds", kLeaseSeconds},
                                            {"renewTime", now.to_string()}}}};
}

json::value lease_patch(MicroTime now) {
  return json::object{{"spec", json::object{{"renewTime", now.to_string()}}}};
}

}  // namespace capstan::infrastructure::sim
