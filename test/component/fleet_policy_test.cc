// The limits of a FleetPolicy over real HTTP: a deletion beyond them waits, and goes on when there is room.
#include "api/policy/fleet_policy.h"
#include "test/component/fleet_story.h"

namespace capstan {
namespace {

class FleetPolicyStory : public FleetStory {
 protected:
  void limit_to(const json::value& max) {
    const json::value policy = {{"apiVersion", kPolicies.api_version()},
                                {"kind", kPolicies.kind},
                                {"metadata", {{"name", kName}}},
                                {"spec", {{"limits", json::array{{{"max", max}}}}}}};
    const auto created =
        stack_->client().create(kPolicies, {.namespace_ = {}, .name = kName}, policy, {}, soon());
    ASSERT_TRUE(created) << created.error().describe();
  }
  void raise_to(const json::value& max) {
    const auto patched =
        stack_->client().patch(kPolicies, {.namespace_ = {}, .name = kName},
                               {{"spec", {{"limits", json::array{{{"max", max}}}}}}}, {}, soon());
    ASSERT_TRUE(patched) << patched.error().describe();
  }

  // Until one has been granted and the other one waits.
  bool one_waits() {
    const Deadline limit = soon();
    while (!limit.passed(clock_.steady_now())) {
      const auto policy =
          kube::get<api::FleetPolicy>(stack_->client(), {.namespace_ = {}, .name = kName}, soon());
      if (policy && policy->status.waiting == 1) return true;
      threads_.pause(Deadline::in(clock_, std::chrono::milliseconds(50)));
    }
    return false;
  }

  const kube::Resource kPolicies = kube::resource_of<api::FleetPolicy>();
  const std::string kName{api::policy::kFleetPolicyName};
};

TEST_F(FleetPolicyStory, ADeletionBeyondTheLimitWaitsUntilThereIsRoom) {
  start(1, 3);
  if (HasFatalFailure()) return;
  wait_for("three workers", workers(3));
  limit_to(1);
  if (HasFatalFailure()) return;

  change_deployment("demo-workers", {{"spec", {{"replicas", 1}}}});
  const bool waits = one_waits();
  const auto left = kube::list<api::Machine>(stack_->client(), {.namespace_ = "default"}, soon());
  raise_to("100%");
  wait_for("one worker", workers(1));

  EXPECT_TRUE(waits);
  const auto staying = std::ranges::count_if(left->items, [](const auto& machine) {
    return !machine.metadata.deleting() && machine.metadata.controller() != nullptr &&
           machine.metadata.controller()->kind == api::kind::kMachineSet;
  });
  EXPECT_GE(staying, 2);
}

}  // namespace
}  // namespace capstan
