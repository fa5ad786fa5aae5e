#include "apiserver/present/table_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <vector>

#include "apiserver/document/document.h"
#include "apiserver/present/table.h"
#include "base/time.h"

namespace capstan::apiserver {
namespace {

using Object = const json::object&;
constexpr const char* kNone = "<none>";
constexpr const char* kUnknown = "<unknown>";

std::string or_else(std::string_view text, std::string_view otherwise) {
  return std::string(text.empty() ? otherwise : text);
}

std::size_t count_at(Object object, Path path) {
  if (const auto* map = object_at(object, path)) return map->size();
  const auto* array = array_at(object, path);
  return array == nullptr ? 0 : array->size();
}

std::int64_t number_at(Object object, Path path, std::int64_t otherwise = 0) {
  return integer_at(object, path).value_or(otherwise);
}

std::string joined(const std::vector<std::string>& parts, std::string_view otherwise) {
  return parts.empty() ? std::string(otherwise) : fmt::format("{}", fmt::join(parts, ","));
}

// Calls `use` with every object of the array.
template <typename Use>
void each_object(Object object, Path path, Use use) {
  const auto* array = array_at(object, path);
  if (array == nullptr) return;
  for (const auto& element : *array) {
    if (element.is_object()) use(element.get_object());
  }
}

std::string texts_of(Object object, Path path, std::string_view member, std::string_view otherwise = "") {
  std::vector<std::string> all;
  each_object(object, path, [&](Object one) { all.emplace_back(text_at(one, {member})); });
  return joined(all, otherwise);
}

std::string map_text(const json::object* map) {
  std::vector<std::string> all;
  if (map != nullptr) {
    for (const auto& [key, value] : *map)
      all.push_back(fmt::format("{}={}", std::string_view(key), text_of(value)));
  }
  std::ranges::sort(all);
  return joined(all, kNone);
}

std::string selector_text(Object object) {
  std::vector<std::string> all;
  if (const auto* labels = object_at(object, {"spec", "selector", "matchLabels"});
      labels != nullptr && !labels->empty()) {
    all.push_back(map_text(labels));
  }
  each_object(object, {"spec", "selector", "matchExpressions"}, [&](Object one) {
    const auto key = text_at(one, {"key"});
    const auto op = text_at(one, {"operator"});
    std::vector<std::string> values;
    if (const auto* array = array_at(one, {"values"})) {
      for (const auto& value : *array) values.emplace_back(text_of(value));
    }
    if (op == "Exists") all.emplace_back(key);
    if (op == "DoesNotExist") all.push_back(fmt::format("!{}", key));
    if (op == "In") all.push_back(fmt::format("{} in ({})", key, fmt::join(values, ",")));
    if (op == "NotIn") all.push_back(fmt::format("{} notin ({})", key, fmt::join(values, ",")));
  });
  return joined(all, kNone);
}

json::value name_cell(Object object, WallTime) { return json::value(name_of(object)); }

json::value age_cell(Object object, WallTime now) {
  const auto created = text_at(object, {"metadata", "creationTimestamp"});
  return json::value(created.empty() ? std::string(kUnknown) : age_since(created, now));
}

json::value created_cell(Object object, WallTime) {
  return json::value(text_at(object, {"metadata", "creationTimestamp"}));
}

json::value data_cell(Object object, WallTime) {
  return json::value(
      static_cast<std::int64_t>(count_at(object, {"data"}) + count_at(object, {"binaryData"})));
}

json::value webhooks_cell(Object object, WallTime) {
  return json::value(static_cast<std::int64_t>(count_at(object, {"webhooks"})));
}

json::value containers_cell(Object object, WallTime) {
  return json::value(texts_of(object, {"spec", "template", "spec", "containers"}, "name"));
}
json::value images_cell(Object object, WallTime) {
  return json::value(texts_of(object, {"spec", "template", "spec", "containers"}, "image"));
}
json::value selector_cell(Object object, WallTime) { return json::value(selector_text(object)); }

// Numbers at a place that is the same for all workloads.
json::value desired_cell(Object object, WallTime) { return number_at(object, {"spec", "replicas"}); }
json::value current_cell(Object object, WallTime) { return number_at(object, {"status", "replicas"}); }
json::value ready_cell(Object object, WallTime) { return number_at(object, {"status", "readyReplicas"}); }
json::value updated_cell(Object object, WallTime) { return number_at(object, {"status", "updatedReplicas"}); }
json::value available_cell(Object object, WallTime) {
  return number_at(object, {"status", "availableReplicas"});
}
json::value ready_of_desired_cell(Object object, WallTime) {
  return json::value(fmt::format("{}/{}", number_at(object, {"status", "readyReplicas"}),
                                 number_at(object, {"spec", "replicas"})));
}

// --- nodes

json::value node_status_cell(Object node, WallTime) {
  std::string status = "Unknown";
  each_object(node, {"status", "conditions"}, [&](Object condition) {
    if (text_at(condition, {"type"}) != "Ready") return;
    status = text_at(condition, {"status"}) == "True" ? "Ready" : "NotReady";
  });
  if (flag_at(node, {"spec", "unschedulable"})) status += ",SchedulingDisabled";
  return json::value(status);
}

json::value node_roles_cell(Object node, WallTime) {
  constexpr std::string_view kPrefix = "node-role.kubernetes.io/";
  std::vector<std::string> roles;
  if (const auto* labels = object_at(node, {"metadata", "labels"})) {
    for (const auto& [key, value] : *labels) {
      const std::string_view label(key);
      if (label.starts_with(kPrefix) && label.size() > kPrefix.size())
        roles.emplace_back(label.substr(kPrefix.size()));
      if (label == "kubernetes.io/role" && !text_of(value).empty()) roles.emplace_back(text_of(value));
    }
  }
  std::ranges::sort(roles);
  return json::value(joined(roles, kNone));
}

json::value node_address(Object node, std::string_view type) {
  std::string found = kNone;
  each_object(node, {"status", "addresses"}, [&](Object address) {
    if (found == kNone && text_at(address, {"type"}) == type) found = text_at(address, {"address"});
  });
  return json::value(found);
}

json::value node_fact(Object node, std::string_view name) {
  return json::value(or_else(text_at(node, {"status", "nodeInfo", name}), kUnknown));
}

// --- pods

std::string terminated_reason(Object ended) {
  if (const auto reason = text_at(ended, {"reason"}); !reason.empty()) return std::string(reason);
  const auto signal = number_at(ended, {"signal"});
  return signal != 0 ? fmt::format("Signal:{}", signal)
                     : fmt::format("ExitCode:{}", number_at(ended, {"exitCode"}));
}

std::string container_reason(Object status) {
  if (const auto* waiting = object_at(status, {"state", "waiting"}))
    return std::string(text_at(*waiting, {"reason"}));
  const auto* ended = object_at(status, {"state", "terminated"});
  return ended == nullptr ? std::string() : terminated_reason(*ended);
}

// "Init:0/2" or why the first unfinished init container is not getting on; empty when all are done.
std::string init_reason(Object pod) {
  const auto* statuses = array_at(pod, {"status", "initContainerStatuses"});
  for (std::size_t i = 0; statuses != nullptr && i < statuses->size(); ++i) {
    if (!(*statuses)[i].is_object()) continue;
    Object status = (*statuses)[i].get_object();
    if (const auto* ended = object_at(status, {"state", "terminated"})) {
      if (number_at(*ended, {"exitCode"}) == 0) continue;
      return "Init:" + terminated_reason(*ended);
    }
    const auto waiting = text_at(status, {"state", "waiting", "reason"});
    if (!waiting.empty() && waiting != "PodInitializing") return "Init:" + std::string(waiting);
    return fmt::format("Init:{}/{}", i, count_at(pod, {"spec", "initContainers"}));
  }
  return {};
}

json::value pod_status_cell(Object pod, WallTime) {
  if (is_deleting(pod)) {
    return json::value(text_at(pod, {"status", "reason"}) == "NodeLost" ? "Unknown" : "Terminating");
  }
  if (const auto reason = init_reason(pod); !reason.empty()) return json::value(reason);
  std::string status = or_else(text_at(pod, {"status", "reason"}), text_at(pod, {"status", "phase"}));
  each_object(pod, {"status", "containerStatuses"}, [&](Object container) {
    if (const auto reason = container_reason(container); !reason.empty()) status = reason;
  });
  return json::value(status);
}

json::value pod_ready_cell(Object pod, WallTime) {
  int ready = 0;
  each_object(pod, {"status", "containerStatuses"},
              [&](Object status) { ready += flag_at(status, {"ready"}) ? 1 : 0; });
  return json::value(fmt::format("{}/{}", ready, count_at(pod, {"spec", "containers"})));
}

// "3 (5m ago)": of the init containers while they run, then of the others.
json::value pod_restarts_cell(Object pod, WallTime now) {
  const auto* list = init_reason(pod).empty() ? "containerStatuses" : "initContainerStatuses";
  std::int64_t restarts = 0;
  std::string last;
  each_object(pod, {"status", list}, [&](Object status) {
    restarts += number_at(status, {"restartCount"});
    last = std::max(last, std::string(text_at(status, {"lastState", "terminated", "finishedAt"})));
  });
  if (restarts == 0 || last.empty()) return json::value(std::to_string(restarts));
  return json::value(fmt::format("{} ({} ago)", restarts, age_since(last, now)));
}

json::value pod_gates_cell(Object pod, WallTime) {
  const auto gates = count_at(pod, {"spec", "readinessGates"});
  if (gates == 0) return json::value(kNone);
  std::size_t passed = 0;
  each_object(pod, {"spec", "readinessGates"}, [&](Object gate) {
    each_object(pod, {"status", "conditions"}, [&](Object condition) {
      if (text_at(condition, {"type"}) == text_at(gate, {"conditionType"}) &&
          text_at(condition, {"status"}) == "True")
        ++passed;
    });
  });
  return json::value(fmt::format("{}/{}", passed, gates));
}

// --- events

std::string since_first(std::initializer_list<std::string_view> stamps, WallTime now) {
  for (const auto stamp : stamps) {
    if (!stamp.empty()) return age_since(stamp, now);
  }
  return kUnknown;
}

json::value last_seen_cell(Object event, WallTime now) {
  return json::value(since_first({text_at(event, {"series", "lastObservedTime"}),
                                  text_at(event, {"lastTimestamp"}), text_at(event, {"eventTime"})},
                                 now));
}

json::value first_seen_cell(Object event, WallTime now) {
  return json::value(since_first({text_at(event, {"firstTimestamp"}), text_at(event, {"eventTime"})}, now));
}

json::value event_count_cell(Object event, WallTime) {
  const auto series = number_at(event, {"series", "count"});
  return std::max<std::int64_t>(series != 0 ? series : number_at(event, {"count"}), 1);
}

json::value event_message_cell(Object event, WallTime) {
  constexpr std::string_view kBlanks = " \t\r\n";
  auto text = text_at(event, {"message"});
  const auto start = text.find_first_not_of(kBlanks);
  if (start == std::string_view::npos) return json::value("");
  text = text.substr(start, text.find_last_not_of(kBlanks) - start + 1);
  return json::value(text);
}

json::value event_object_cell(Object event, WallTime) {
  std::string kind(text_at(event, {"involvedObject", "kind"}));
  std::ranges::transform(kind, kind.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return json::value(kind + "/" + std::string(text_at(event, {"involvedObject", "name"})));
}

json::value event_source_cell(Object event, WallTime) {
  std::string source =
      or_else(text_at(event, {"source", "component"}), text_at(event, {"reportingComponent"}));
  const auto host = or_else(text_at(event, {"source", "host"}), text_at(event, {"reportingInstance"}));
  if (!host.empty()) source += ", " + host;
  return json::value(source);
}

// --- the rest

json::value budget_limit(Object budget, std::string_view name) {
  const auto* limit = find(budget, {"spec", name});
  if (limit == nullptr || limit->is_null()) return json::value("N/A");
  return json::value(limit->is_string() ? std::string(text_of(*limit)) : json::serialize(*limit));
}

json::value service_ports_cell(Object service, WallTime) {
  std::vector<std::string> ports;
  each_object(service, {"spec", "ports"}, [&](Object port) {
    const auto node_port = number_at(port, {"nodePort"});
    const auto number = number_at(port, {"port"});
    const auto protocol = or_else(text_at(port, {"protocol"}), "TCP");
    ports.push_back(node_port == 0 ? fmt::format("{}/{}", number, protocol)
                                   : fmt::format("{}:{}/{}", number, node_port, protocol));
  });
  return json::value(joined(ports, kNone));
}

json::value service_address_cell(Object service, WallTime) {
  std::vector<std::string> all;
  each_object(service, {"status", "loadBalancer", "ingress"},
              [&](Object one) { all.push_back(or_else(text_at(one, {"ip"}), text_at(one, {"hostname"}))); });
  if (const auto* addresses = array_at(service, {"spec", "externalIPs"})) {
    for (const auto& one : *addresses) all.emplace_back(text_of(one));
  }
  const auto type = text_at(service, {"spec", "type"});
  if (type == "ExternalName") all = {std::string(text_at(service, {"spec", "externalName"}))};
  return json::value(joined(all, type == "LoadBalancer" ? "<pending>" : kNone));
}

json::value subjects(Object binding, std::string_view kind) {
  std::vector<std::string> all;
  each_object(binding, {"subjects"}, [&](Object subject) {
    if (text_at(subject, {"kind"}) != kind) return;
    const auto ns = text_at(subject, {"namespace"});
    const std::string name(text_at(subject, {"name"}));
    all.push_back(kind == "ServiceAccount" ? std::string(ns) + "/" + name : name);
  });
  return json::value(fmt::format("{}", fmt::join(all, ", ")));
}

constexpr BuiltinColumn kName{"Name", "string", "name", 0, name_cell};
constexpr BuiltinColumn kAge{"Age", "string", "", 0, age_cell};
constexpr BuiltinColumn kContainers{"Containers", "string", "", 1, containers_cell};
constexpr BuiltinColumn kImages{"Images", "string", "", 1, images_cell};
constexpr BuiltinColumn kSelector{"Selector", "string", "", 1, selector_cell};

const BuiltinColumn kPlain[] = {kName, {"Created At", "date", "", 0, created_cell}};
const BuiltinColumn kConfigMaps[] = {kName, {"Data", "string", "", 0, data_cell}, kAge};
const BuiltinColumn kSecrets[] = {
    kName,
    {"Type", "string", "", 0, [](Object o, WallTime) { return json::value(text_at(o, {"type"})); }},
    {"Data", "string", "", 0, data_cell},
    kAge};
const BuiltinColumn kNamespaces[] = {
    kName,
    {"Status", "string", "", 0,
     [](Object o, WallTime) { return json::value(text_at(o, {"status", "phase"})); }},
    kAge};
const BuiltinColumn kNodes[] = {
    kName,
    {"Status", "string", "", 0, node_status_cell},
    {"Roles", "string", "", 0, node_roles_cell},
    kAge,
    {"Version", "string", "", 0,
     [](Object o, WallTime) { return json::value(text_at(o, {"status", "nodeInfo", "kubeletVersion"})); }},
    {"Internal-IP", "string", "", 1, [](Object o, WallTime) { return node_address(o, "InternalIP"); }},
    {"External-IP", "string", "", 1, [](Object o, WallTime) { return node_address(o, "ExternalIP"); }},
    {"OS-Image", "string", "", 1, [](Object o, WallTime) { return node_fact(o, "osImage"); }},
    {"Kernel-Version", "string", "", 1, [](Object o, WallTime) { return node_fact(o, "kernelVersion"); }},
    {"Container-Runtime", "string", "", 1,
     [](Object o, WallTime) { return node_fact(o, "containerRuntimeVersion"); }}};
const BuiltinColumn kPods[] = {
    kName,
    {"Ready", "string", "", 0, pod_ready_cell},
    {"Status", "string", "", 0, pod_status_cell},
    {"Restarts", "string", "", 0, pod_restarts_cell},
    kAge,
    {"IP", "string", "", 1,
     [](Object o, WallTime) { return json::value(or_else(text_at(o, {"status", "podIP"}), kNone)); }},
    {"Node", "string", "", 1,
     [](Object o, WallTime) { return json::value(or_else(text_at(o, {"spec", "nodeName"}), kNone)); }},
    {"Nominated Node", "string", "", 1,
     [](Object o, WallTime) {
       return json::value(or_else(text_at(o, {"status", "nominatedNodeName"}), kNone));
     }},
    {"Readiness Gates", "string", "", 1, pod_gates_cell}};
const BuiltinColumn kEvents[] = {
    {"Last Seen", "string", "", 0, last_seen_cell},
    {"Type", "string", "", 0, [](Object o, WallTime) { return json::value(text_at(o, {"type"})); }},
    {"Reason", "string", "", 0, [](Object o, WallTime) { return json::value(text_at(o, {"reason"})); }},
    {"Object", "string", "", 0, event_object_cell},
    {"Subobject", "string", "", 1,
     [](Object o, WallTime) { return json::value(text_at(o, {"involvedObject", "fieldPath"})); }},
    {"Source", "string", "", 1, event_source_cell},
    {"Message", "string", "", 0, event_message_cell},
    {"First Seen", "string", "", 1, first_seen_cell},
    {"Count", "string", "", 1, event_count_cell},
    {"Name", "string", "name", 1, name_cell}};
const BuiltinColumn kServiceAccounts[] = {kName, kAge};
const BuiltinColumn kServices[] = {
    kName,
    {"Type", "string", "", 0, [](Object o, WallTime) { return json::value(text_at(o, {"spec", "type"})); }},
    {"Cluster-IP", "string", "", 0,
     [](Object o, WallTime) { return json::value(or_else(text_at(o, {"spec", "clusterIP"}), kNone)); }},
    {"External-IP", "string", "", 0, service_address_cell},
    {"Port(s)", "string", "", 0, service_ports_cell},
    kAge,
    {"Selector", "string", "", 1,
     [](Object o, WallTime) { return json::value(map_text(object_at(o, {"spec", "selector"}))); }}};
const BuiltinColumn kLeases[] = {
    kName,
    {"Holder", "string", "", 0,
     [](Object o, WallTime) { return json::value(text_at(o, {"spec", "holderIdentity"})); }},
    kAge};
const BuiltinColumn kBudgets[] = {
    kName,
    {"Min Available", "string", "", 0, [](Object o, WallTime) { return budget_limit(o, "minAvailable"); }},
    {"Max Unavailable", "string", "", 0,
     [](Object o, WallTime) { return budget_limit(o, "maxUnavailable"); }},
    {"Allowed Disruptions", "integer", "", 0,
     [](Object o, WallTime) { return json::value(number_at(o, {"status", "disruptionsAllowed"})); }},
    kAge};
const BuiltinColumn kAttachments[] = {
    kName,
    {"Attacher", "string", "name", 0,
     [](Object o, WallTime) { return json::value(text_at(o, {"spec", "attacher"})); }},
    {"PV", "string", "", 0,
     [](Object o, WallTime) { return json::value(text_at(o, {"spec", "source", "persistentVolumeName"})); }},
    {"Node", "string", "", 0,
     [](Object o, WallTime) { return json::value(text_at(o, {"spec", "nodeName"})); }},
    {"Attached", "boolean", "", 0,
     [](Object o, WallTime) { return json::value(flag_at(o, {"status", "attached"})); }},
    kAge};
const BuiltinColumn kDeployments[] = {kName,
                                      {"Ready", "string", "", 0, ready_of_desired_cell},
                                      {"Up-to-date", "string", "", 0, updated_cell},
                                      {"Available", "string", "", 0, available_cell},
                                      kAge,
                                      kContainers,
                                      kImages,
                                      kSelector};
const BuiltinColumn kReplicaSets[] = {kName,
                                      {"Desired", "integer", "", 0, desired_cell},
                                      {"Current", "integer", "", 0, current_cell},
                                      {"Ready", "integer", "", 0, ready_cell},
                                      kAge,
                                      kContainers,
                                      kImages,
                                      kSelector};
const BuiltinColumn kDaemonSets[] = {
    kName,
    {"Desired", "integer", "", 0,
     [](Object o, WallTime) { return json::value(number_at(o, {"status", "desiredNumberScheduled"})); }},
    {"Current", "integer", "", 0,
     [](Object o, WallTime) { return json::value(number_at(o, {"status", "currentNumberScheduled"})); }},
    {"Ready", "integer", "", 0,
     [](Object o, WallTime) { return json::value(number_at(o, {"status", "numberReady"})); }},
    {"Up-to-date", "integer", "", 0,
     [](Object o, WallTime) { return json::value(number_at(o, {"status", "updatedNumberScheduled"})); }},
    {"Available", "integer", "", 0,
     [](Object o, WallTime) { return json::value(number_at(o, {"status", "numberAvailable"})); }},
    {"Node Selector", "string", "", 0,
     [](Object o, WallTime) {
       return json::value(map_text(object_at(o, {"spec", "template", "spec", "nodeSelector"})));
     }},
    kAge,
    kContainers,
    kImages,
    kSelector};
const BuiltinColumn kStatefulSets[] = {
    kName, {"Ready", "string", "", 0, ready_of_desired_cell}, kAge, kContainers, kImages};
const BuiltinColumn kWebhooks[] = {kName, {"Webhooks", "integer", "", 0, webhooks_cell}, kAge};
const BuiltinColumn kBindings[] = {
    kName,
    {"Role", "string", "", 0,
     [](Object o, WallTime) {
       return json::value(
           fmt::format("{}/{}", text_at(o, {"roleRef", "kind"}), text_at(o, {"roleRef", "name"})));
     }},
    kAge,
    {"Users", "string", "", 1, [](Object o, WallTime) { return subjects(o, "User"); }},
    {"Groups", "string", "", 1, [](Object o, WallTime) { return subjects(o, "Group"); }},
    {"ServiceAccounts", "string", "", 1, [](Object o, WallTime) { return subjects(o, "ServiceAccount"); }}};

struct Entry {
  std::string_view group_resource = {};
  std::span<const BuiltinColumn> columns = {};
};

const Entry kEntries[] = {
    {"configmaps", kConfigMaps},
    {"secrets", kSecrets},
    {"namespaces", kNamespaces},
    {"nodes", kNodes},
    {"pods", kPods},
    {"events", kEvents},
    {"serviceaccounts", kServiceAccounts},
    {"services", kServices},
    {"leases.coordination.k8s.io", kLeases},
    {"poddisruptionbudgets.policy", kBudgets},
    {"volumeattachments.storage.k8s.io", kAttachments},
    {"deployments.apps", kDeployments},
    {"replicasets.apps", kReplicaSets},
    {"replicationcontrollers", kReplicaSets},
    {"daemonsets.apps", kDaemonSets},
    {"statefulsets.apps", kStatefulSets},
    {"mutatingwebhookconfigurations.admissionregistration.k8s.io", kWebhooks},
    {"validatingwebhookconfigurations.admissionregistration.k8s.io", kWebhooks},
    {"rolebindings.rbac.authorization.k8s.io", kBindings},
    {"clusterrolebindings.rbac.authorization.k8s.io", kBindings},
};

}  // namespace

std::span<const BuiltinColumn> builtin_columns(const ResourceType& type) {
  const auto found = std::ranges::find(kEntries, type.group_resource(), &Entry::group_resource);
  return found == std::end(kEntries) ? std::span<const BuiltinColumn>(kPlain) : found->columns;
}

std::string age_since(std::string_view timestamp, WallTime now) {
  const auto at = Time::parse(timestamp);
  if (!at || !at->is_set()) return "<invalid>";
  return age(now - at->wall());
}

}  // namespace capstan::apiserver
