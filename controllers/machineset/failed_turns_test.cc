// Whole turns of a MachineSet under a policy that gives Machines up, while its cache of them is behind: the
// test plays the Machine controller, which has taken the verdict back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/machineset/turn_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machineset {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::Not;
using testing::SizeIs;
using testing::Truly;

const auto kIsGoing = Truly([](const api::Machine& machine) { return machine.metadata.deleting(); });

void connect(MachineSetFixture& stage) {
  const std::string since = Time::from(stage.baton.now()).to_string();
  stage.patch(kube::resource_of<api::Cluster>(), "c1",
              {{"status",
                {{"conditions", json::array{{{"type", api::condition::kRemoteConnectionProbe},
                                             {"status", "True"},
                                             {"reason", "ProbeSucceeded"},
                                             {"message", ""},
                                             {"lastTransitionTime", since}}}}}}},
              "status");
  stage.workload_clusters.connect({.namespace_ = "default", .name = "c1"});
}

// One Machine, which has had more time to join than its policy allows.
void make_overdue(MachineSetFixture& stage) {
  stage.make_surroundings();
  stage.make(builders::a_policy("care").selecting("team", "a").creation_timeout(60).build());
  stage.make(builders::a_machine_set().labelled("team", "a").replicas(1).build());
  connect(stage);
  stage.start();
  stage.settle(2min);
}

void says(MachineSetFixture& stage, std::string_view status, std::string_view reason) {
  stage.patch(kube::resource_of<api::Machine>(), stage.machine_names().front(),
              {{"status",
                {{"conditions", json::array{{{"type", api::policy::condition::kLifecycle},
                                             {"status", status},
                                             {"reason", reason},
                                             {"message", "as the test says"},
                                             {"lastTransitionTime", "2026-01-01T12:00:00Z"}}}}}}},
              "status");
}

// It joins after all before the MachineSet has seen that it was given up.
void join_unseen(MachineSetFixture& stage) {
  make_overdue(stage);
  stage.delay_watch("Machine", 30s);
  says(stage, "False", "Failed");
  stage.settle(15s);
  says(stage, "True", "Running");
  stage.settle(2min);
}

TEST(FailedMachines, AreDeleted) {
  in_simulation([](MachineSetFixture& stage) {
    make_overdue(stage);
    says(stage, "False", "Failed");
    stage.settle();

    EXPECT_THAT(stage.machines(), Each(kIsGoing));
  });
}

TEST(FailedMachines, AreLeftAloneOnceTheServerKnowsBetter) {
  in_simulation([](MachineSetFixture& stage) {
    join_unseen(stage);

    EXPECT_THAT(stage.machines(), SizeIs(1));
    EXPECT_THAT(stage.machines(), Each(Not(kIsGoing)));
  });
}

#ifdef CAPSTAN_DEFECTS
TEST(FailedMachines, GoAllTheSameWithoutTheVersionTheyWereJudgedIn) {
  in_simulation([](MachineSetFixture& stage) {
    switch_off(Safeguard::AsJudged);
    join_unseen(stage);
    switch_off(std::nullopt);

    EXPECT_THAT(stage.machines(), Each(kIsGoing));
  });
}
#endif

}  // namespace
}  // namespace capstan::controllers::machineset
