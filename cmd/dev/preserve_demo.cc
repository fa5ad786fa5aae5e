#include "cmd/dev/preserve_demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>

#include "api/conditions/conditions.h"
#include "api/core/node.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "base/try.h"
#include "cmd/dev/manifests.h"
#include "cmd/dev/sample.h"
#include "controllers/lifecycle/phase.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::dev {
namespace {

namespace json = boost::json;
namespace wish_key = api::policy::annotation;

constexpr std::size_t kWanted = 3;

// Unhealthy for three seconds is too long here.
json::value care() {
  return json::parse(R"({
    "apiVersion": "policy.capstan.dev/v1alpha1", "kind": "MachineLifecyclePolicy",
    "metadata": {"name": "care", "namespace": "default"},
    "spec": {"selector": {}, "health": {"nodeChecks": {"timeoutSeconds": 3}},
             "preservation": {"timeoutSeconds": 3600}}})");
}

class PreserveDemo {
 public:
  explicit PreserveDemo(DemoStage& stage) : stage_(stage) {}

  Result<void> play() {
    TRY(bring_up());
    TRY(fail_one());
    TRY(look_at_it());
    return release_it();
  }

 private:
  Result<void> bring_up() {
    stage_.say_step(
        "1/4  a MachineDeployment of 3, and a policy: what is not well for 3 seconds is replaced");
    for (const auto& manifest : sample({.machines = kWanted}))
      TRY(apply_manifest(stage_.client(), manifest, stage_.step()));
    TRY(apply_manifest(stage_.client(), care(), stage_.step()));
    TRY(stage_.follow([](const Fleet& fleet) { return fleet.settled() && workers(fleet).size() == kWanted; },
                      "3 Machines"));
    return choose();
  }

  static std::vector<std::string> workers(const Fleet& fleet) {
    std::vector<std::string> names;
    for (const auto& row : fleet.machines)
      if (row.owner == kDemoWorkers.name) names.push_back(row.name);
    return names;
  }

  // One that the policy governs already.
  Result<void> choose() {
    const auto machines =
        TRY(kube::list<api::Machine>(stage_.client(), {.namespace_ = "default"}, stage_.step()));
    for (const auto& machine : machines.items) {
      if (machine.metadata.labels.contains(api::label::kDeploymentName)) chosen_ = kube::key_of(machine);
    }
    return stage_.await(
        chosen_,
        [](const api::Machine& machine) {
          return controllers::lifecycle::is_in(machine, controllers::lifecycle::Phase::Running);
        },
        "Running");
  }

  Result<void> fail_one() {
    stage_.say_step(
        fmt::format("2/4  a user asks to keep {} when it fails, and its kernel deadlocks", chosen_.name));
    stage_.say(fmt::format("kubectl annotate machine {} {}=when-failed", chosen_.name, wish_key::kPreserve));
    TRY(annotate("when-failed"));
    TRY(deadlock());
    return stage_.await(
        chosen_,
        [](const api::Machine& machine) {
          return api::conditions::is_true(machine.status.conditions, api::policy::condition::kPreserved);
        },
        "preserved");
  }

  Result<void> annotate(std::string_view wish) {
    return patched(stage_.client().patch(kube::resource_of<api::Machine>(), chosen_,
                                         {{"metadata", {{"annotations", {{wish_key::kPreserve, wish}}}}}}, {},
                                         stage_.step()));
  }

  // As a node problem detector says it.
  Result<void> deadlock() {
    const auto client = TRY(stage_.workload_client());
    const json::value condition = {{"type", "KernelDeadlock"}, {"status", "True"}, {"reason", "DockerHung"}};
    return patched(
        client->patch(kube::resources::nodes(), {.name = TRY(machine()).status.node_ref->name.str()},
                      {{"status", {{"conditions", json::array{condition}}}}},
                      {.type = kube::PatchType::Strategic, .subresource = "status"}, stage_.step()));
  }

  Result<void> look_at_it() {
    stage_.say_step("3/4  it has failed, and is still there: with its VM, and no other one is made for it");
    const auto kept = TRY(machine());
    for (const auto type : {api::policy::condition::kLifecycle, api::policy::condition::kPreserved}) {
      const auto condition = api::conditions::find(kept.status.conditions, type);
      stage_.say(fmt::format("  {}: {}: {}", type, condition->reason.view(), condition->message.view()));
    }
    return show_node(kept.status.node_ref->name.str());
  }

  Result<void> show_node(const std::string& name) {
    const auto client = TRY(stage_.workload_client());
    std::string disabled;
    const auto is_disabled = [&]() -> Result<bool> {
      const auto node = TRY(kube::get<api::Node>(*client, {.name = name}, stage_.step()));
      disabled = node.metadata.annotations.value_or_empty(wish_key::kScaleDownDisabled);
      return !disabled.empty();
    };
    TRY(stage_.poll(is_disabled, "kept from the autoscaler"));
    stage_.say(fmt::format("  its Node: {}: {}", wish_key::kScaleDownDisabled, disabled));
    return {};
  }

  Result<void> release_it() {
    stage_.say_step("4/4  the user has seen enough");
    stage_.say(
        fmt::format("kubectl annotate machine {} --overwrite {}=false", chosen_.name, wish_key::kPreserve));
    TRY(annotate("false"));
    TRY(stage_.follow(
        [&](const Fleet& fleet) {
          const auto names = workers(fleet);
          const bool gone = std::ranges::find(names, row_name()) == names.end();
          return gone && fleet.settled() && names.size() == kWanted;
        },
        "3 other Machines"));
    stage_.say_step("done: the failed Machine was kept as long as it was wanted, then replaced");
    return {};
  }

  Result<api::Machine> machine() { return kube::get<api::Machine>(stage_.client(), chosen_, stage_.step()); }

  std::string row_name() const { return chosen_.namespace_ + "/" + chosen_.name; }

  static Result<void> patched(const Result<json::value>& answer) {
    return answer ? Result<void>() : fail(answer.error());
  }

  DemoStage& stage_;
  kube::ObjectKey chosen_ = {};
};

}  // namespace

Result<void> play_preserve(DemoStage& stage) { return PreserveDemo(stage).play(); }

}  // namespace capstan::dev
