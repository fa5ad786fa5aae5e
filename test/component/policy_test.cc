// A server without the definition of MachineLifecyclePolicies, as upstream's users have it.
#include "api/policy/machine_lifecycle_policy.h"
#include "api/policy/names.h"
#include "api/schema/crd.h"
#include "test/component/fleet_story.h"

namespace capstan {
namespace {

class PolicyStory : public FleetStory {
 protected:
  static constexpr auto kLong = std::chrono::seconds(120);

  void install_kind() {
    const auto created = stack_->client().create(kube::resources::custom_resource_definitions(),
                                                 {.namespace_ = {}, .name = kCrd},
                                                 api::crd<api::MachineLifecyclePolicy>(), {}, soon());
    ASSERT_TRUE(created) << created.error().describe();
  }

  // Of everything in its namespace.
  Result<json::value> create_policy() {
    const json::value policy = {
        {"apiVersion", kPolicies.api_version()},
        {"kind", kPolicies.kind},
        {"metadata", {{"name", "p"}, {"namespace", "default"}}},
        {"spec", {{"selector", json::object()}, {"health", {{"sharedCause", json::object()}}}}}};
    return stack_->client().create(kPolicies, named("p"), policy, {}, soon());
  }

  // "True Selected: 1"
  std::string what_the_policy_selects() {
    const auto policy = kube::get<api::MachineLifecyclePolicy>(stack_->client(), named("p"), soon());
    if (!policy) return policy.error().describe();
    const auto found = api::conditions::find(policy->status.conditions, api::policy::condition::kSelecting);
    if (found == nullptr) return "nobody looked at it";
    return found->status.str() + " " + found->reason.str() + ": " +
           std::to_string(policy->status.selected.machine_deployments);
  }

  bool eventually(const std::function<bool()>& done) {
    const Deadline limit = Deadline::in(clock_, kLong);
    while (!done()) {
      if (limit.passed(clock_.steady_now())) return false;
      threads_.pause(Deadline::in(clock_, std::chrono::milliseconds(50)));
    }
    return true;
  }

  const kube::Resource kPolicies = kube::resource_of<api::MachineLifecyclePolicy>();
  const std::string kCrd{api::policy::kLifecyclePolicyCrd};
};

TEST_F(PolicyStory, WithoutTheKindMachinesComeUpAndAPolicyCountsOnceItIsInstalled) {
  start({.machines = 2}, quick_cloud(), {kCrd});
  if (HasFatalFailure()) return;
  const auto before = create_policy();
  wait_for("two workers without the kind", workers(2));
  const auto still = create_policy();

  install_kind();
  const bool created = eventually([&] { return create_policy().has_value(); });
  const bool selects = eventually([&] { return what_the_policy_selects() == "True Selected: 1"; });
  change_deployment("demo-workers", {{"spec", {{"replicas", 3}}}});
  wait_for("three workers with it", workers(3));

  EXPECT_FALSE(before || still) << "the server knew the kind";
  EXPECT_TRUE(created);
  EXPECT_TRUE(selects) << what_the_policy_selects();
}

}  // namespace
}  // namespace capstan
