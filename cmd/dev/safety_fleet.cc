#include "cmd/dev/safety_fleet.h"

#include <boost/json.hpp>

#include "cmd/dev/sample.h"

namespace capstan::dev {
namespace {

namespace json = boost::json;

json::value policy_of_brakes() {
  return json::parse(R"({
    "apiVersion": "policy.capstan.dev/v1alpha1", "kind": "MachineLifecyclePolicy",
    "metadata": {"name": "brakes", "namespace": "default"},
    "spec": {"selector": {}, "health": {"sharedCause": {"windowSeconds": 5}},
             "rollout": {"slowStart": 1, "progressDeadlineSeconds": 4}, "overshoot": {"up": 1}}})");
}

// Of all workers: silent for three seconds is too long here.
json::value check_of_workers() {
  json::value check = json::parse(R"({
    "apiVersion": "cluster.x-k8s.io/v1beta2", "kind": "MachineHealthCheck",
    "metadata": {"namespace": "default"},
    "spec": {"clusterName": "demo",
             "selector": {"matchExpressions": [{"key": "pool", "operator": "Exists"}]},
             "checks": {"unhealthyNodeConditions": [
               {"type": "Ready", "status": "Unknown", "timeoutSeconds": 3}]}}})");
  check.at("metadata").as_object()["name"] = kDemoCheck.name;
  return check;
}

struct Place {
  std::string_view name = {};
  std::string_view zone = {};
  std::int32_t replicas = 0;
  std::int32_t surge = 1;
};

// Where there are too many, the newest goes first.
json::value placed(json::value deployment, const Place& place) {
  deployment.at("metadata").at("name") = place.name;
  json::object& spec = deployment.at("spec").as_object();
  spec.at("replicas") = place.replicas;
  spec.at("selector").at("matchLabels").at("pool") = place.name;
  spec.at("template").at("metadata").at("labels").at("pool") = place.name;
  spec.at("template").at("spec").as_object()["failureDomain"] = place.zone;
  spec.at("rollout").at("strategy").at("rollingUpdate").at("maxSurge") = place.surge;
  spec["deletion"] = {{"order", "Newest"}};
  return deployment;
}

}  // namespace

std::vector<json::value> fleet_of_safety(std::string_view version) {
  std::vector<json::value> all = sample({.machines = kWorkersInZone, .version = std::string(version)});
  const json::value workers = std::move(all.back());
  all.back() = placed(workers, {.name = kDemoWorkers.name,
                                .zone = kZoneThatDies,
                                .replicas = kWorkersInZone,
                                .surge = kWorkersInZone});
  all.push_back(placed(workers, {.name = kDemoOthers.name, .zone = "b", .replicas = kWorkersElsewhere}));
  all.push_back(policy_of_brakes());
  all.push_back(check_of_workers());
  return all;
}

}  // namespace capstan::dev
