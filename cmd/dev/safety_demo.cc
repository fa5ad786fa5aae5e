#include "cmd/dev/safety_demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <map>
#include <set>

#include "api/conditions/conditions.h"
#include "api/policy/names.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_set.h"
#include "base/try.h"
#include "cmd/dev/manifests.h"
#include "cmd/dev/safety_fleet.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::dev {
namespace {

namespace json = boost::json;
namespace annotation = api::policy::annotation;

constexpr std::string_view kGood = "v1.35.0";
constexpr std::string_view kBad = "v1.36.0";
constexpr std::string_view kWrongLabel = "typo";

class SafetyDemo {
 public:
  explicit SafetyDemo(DemoStage& stage) : stage_(stage) {}

  Result<void> play() {
    TRY(come_up());
    TRY(lose_zone());
    TRY(roll_bad_image());
    TRY(mistake_labels());
    return check_vms();
  }

 private:
  Result<void> come_up() {
    stage_.say_step("1/4  seven workers, three of them in zone a, with a policy and a health check");
    for (const auto& manifest : fleet_of_safety(kGood))
      TRY(apply_manifest(stage_.client(), manifest, stage_.step()));
    TRY(stage_.follow(
        [](const Fleet& fleet) {
          return fleet.settled() && std::ssize(workers(fleet)) == kWorkersInZone + kWorkersElsewhere;
        },
        "7 workers"));
    for (const auto& machine : TRY(machines())) before_[machine.metadata.name.str()] = machine;
    return {};
  }

  Result<void> lose_zone() {
    stage_.say_step(
        "2/4  zone a dies: three of seven Nodes fall silent, longer than the health check allows");
    stage_.stack().cloud().add_fault({.domain = std::string(kZoneThatDies), .returns = true});
    TRY(held<api::MachineHealthCheck>("shared cause (health.sharedCause of the policy)", kDemoCheck,
                                      api::condition::kRemediationAllowed,
                                      api::policy::reason::kSharedCause));
    TRY(check_none_leaves_and_made(0));
    stage_.say("zone a comes back");
    stage_.stack().cloud().end_faults();
    return settle("all of before, and no other one");
  }

  Result<void> roll_bad_image() {
    stage_.say_step(fmt::format("3/4  {} is rolled, three at a time, and Nodes of it never join", kBad));
    stage_.stack().cloud().add_fault({.never_joins = true});
    TRY(change<api::MachineDeployment>(kDemoWorkers,
                                       {{"spec", {{"template", {{"spec", {{"version", kBad}}}}}}}}));
    TRY(held<api::MachineDeployment>("slow start (rollout.slowStart of the policy): one is made, not three",
                                     kDemoWorkers, api::policy::condition::kProgressing,
                                     api::policy::reason::kProgressDeadlineExceeded));
    TRY(check_none_leaves_and_made(1));
    stage_.say(fmt::format("kubectl annotate machinedeployment {} {}=0", kDemoWorkers.name,
                           annotation::kRollbackTo));
    stage_.stack().cloud().end_faults();
    TRY(change<api::MachineDeployment>(kDemoWorkers,
                                       {{"metadata", {{"annotations", {{annotation::kRollbackTo, "0"}}}}}}));
    return settle("all of before, and no other one");
  }

  Result<void> mistake_labels() {
    stage_.say_step(
        "4/4  a script relabels the four of zone b, so that their MachineSet selects none of them");
    TRY(label(kWrongLabel));
    TRY(held<api::MachineSet>("ceiling (overshoot.up of the policy): two are made in their place, not four",
                              {.namespace_ = "default", .name = set_of_others()}, api::condition::kScalingUp,
                              annotation::kReleased));
    TRY(check_none_leaves_and_made(2));
    stage_.say("the labels are put back");
    TRY(label(kDemoOthers.name));
    return settle("all of before, and no other one");
  }

  Result<void> check_vms() {
    std::set<std::string> running;
    for (const auto& vm : stage_.stack().cloud().vms()) running.insert(vm.provider_id);
    for (const auto& [name, machine] : before_) {
      if (!running.contains(machine.spec.provider_id.str()))
        return fail(Code::Internal, fmt::format("the VM of {} is gone", name));
    }
    stage_.say_step(fmt::format(
        "done: nothing was lost, the {} Machines of the beginning are there with their VMs", before_.size()));
    return {};
  }

  // --- what it looks at ---

  static std::set<std::string> workers(const Fleet& fleet) {
    std::set<std::string> names;
    for (const auto& row : fleet.machines)
      if (!row.owner.empty()) names.insert(row.name);
    return names;
  }

  Result<std::vector<api::Machine>> machines() {
    auto all = TRY(kube::list<api::Machine>(stage_.client(), {.namespace_ = "default"}, stage_.step()));
    std::erase_if(all.items, [](const api::Machine& machine) {
      return !machine.metadata.labels.contains(api::label::kDeploymentName);
    });
    return std::move(all.items);
  }

  // Those of the beginning, and no other one, all well.
  Result<void> settle(const std::string& what) {
    std::set<std::string> wanted;
    for (const auto& [name, machine] : before_) wanted.insert("default/" + name);
    return stage_.follow([&](const Fleet& fleet) { return fleet.settled() && workers(fleet) == wanted; },
                         what);
  }

  // Of those of the beginning; and so many other ones are there.
  Result<void> check_none_leaves_and_made(std::size_t others) {
    std::set<std::string> staying;
    for (const auto& machine : TRY(machines()))
      if (!machine.metadata.deleting()) staying.insert(machine.metadata.name.str());
    for (const auto& [name, machine] : before_)
      if (!staying.contains(name)) return fail(Code::Internal, name + " is deleted");
    const std::size_t made = staying.size() - before_.size();
    if (made == others) return {};
    return fail(Code::Internal, fmt::format("{} other Machines were made, not {}", made, others));
  }

  // Until the condition says so, by its reason or by what opens the brake; then all that it says is shown.
  template <typename T>
  Result<void> held(std::string_view brake, const kube::ObjectKey& key, std::string_view type,
                    std::string_view word) {
    std::string message;
    const auto says_so = [&]() -> Result<bool> {
      const auto object = TRY(kube::get<T>(stage_.client(), key, stage_.step()));
      const auto condition = api::conditions::find(object.status.conditions, type);
      if (condition == nullptr) return false;
      message = condition->message.str();
      return condition->reason == word || message.contains(word);
    };
    TRY(stage_.poll(says_so, fmt::format("held by {}", brake)));
    stage_.say(fmt::format("  brake: {}", brake));
    stage_.say(fmt::format("  {} {}, {}:", api::resource<T>.kind, key.name, type));
    say_lines(message);
    return {};
  }

  void say_lines(std::string_view message) {
    while (!message.empty()) {
      const auto end = std::min(message.find('\n'), message.size());
      stage_.say(fmt::format("    {}", message.substr(0, end)));
      message.remove_prefix(std::min(end + 1, message.size()));
    }
  }

  // --- what people do ---

  template <typename T>
  Result<void> change(const kube::ObjectKey& key, const json::value& patch) {
    const auto patched = stage_.client().patch(kube::resource_of<T>(), key, patch, {}, stage_.step());
    return patched ? Result<void>() : fail(patched.error().context("change " + key.name));
  }

  static bool is_elsewhere(const api::Machine& machine) {
    return machine.metadata.labels.value_or_empty(api::label::kDeploymentName) == kDemoOthers.name;
  }

  std::string set_of_others() const {
    const auto one =
        std::ranges::find_if(before_, [](const auto& each) { return is_elsewhere(each.second); });
    return std::string(one->second.metadata.labels.value_or_empty(api::label::kSetName));
  }

  Result<void> label(std::string_view value) {
    stage_.say(fmt::format("kubectl label machine NAME --overwrite pool={}, for each of the four", value));
    for (const auto& [name, machine] : before_) {
      if (!is_elsewhere(machine)) continue;
      TRY(change<api::Machine>({.namespace_ = "default", .name = name},
                               {{"metadata", {{"labels", {{"pool", value}}}}}}));
    }
    return {};
  }

  DemoStage& stage_;
  std::map<std::string, api::Machine> before_ = {};  // workers, by name
};

}  // namespace

infrastructure::sim::Script cloud_of_safety() {
  infrastructure::sim::Script cloud;
  cloud.silence_grace = std::chrono::seconds(2);
  return cloud;
}

Result<void> play_safety(DemoStage& stage) { return SafetyDemo(stage).play(); }

}  // namespace capstan::dev
