#include "controllers/machinedeployment/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/machinedeployment/report.h"
#include "test/builders/cluster.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machinedeployment {
namespace {

using api::policy::condition::kProgressing;
using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::noon;
using testing::HasSubstr;

// A deployment of three that a policy with a deadline of 100 seconds selects, turn by turn: what the report
// of one turn writes is all that the next turn knows.
class Fleet {
 public:
  Fleet() {
    seen_.now = noon();
    seen_.cluster = builders::a_cluster().shared();
    seen_.rollout = api::PolicyRollout{.progress_deadline_seconds = 100};
    stored_ = a_machine_deployment().replicas(3).build();
  }

  // Machines that are up to date, those that are not, and how many of all are available.
  std::string turn(Seconds later, std::int32_t fresh, std::int32_t old, std::int32_t available) {
    seen_.now = seen_.now + later;
    seen_.stored = std::make_shared<const api::MachineDeployment>(stored_);
    seen_.deployment = stored_;
    seen_.sets = {set_of("new", stored_, fresh, available),
                  held_set(set_of("old", a_machine_deployment().version("v0"), old, 0))};
    plan_.held_by = held_by_;
    plan_.brake = brake_;
    Effects effects{.deployment = seen_.stored};
    if (fails_) effects.errors.push_back({.code = Code::Unavailable, .message = "no answer"});
    stored_ = report(seen_, plan_, effects);
    plan_ = {};
    return says();
  }
  Fleet& makes_a_set(bool fails = false) {
    plan_.actions.push_back(CreateSet{});
    fails_ = fails;
    return *this;
  }
  Fleet& paused(bool is) {
    stored_.spec.paused = is;
    return *this;
  }
  Fleet& held(std::string_view by) {
    held_by_ = by;
    return *this;
  }
  Fleet& braked(std::string_view by) {
    brake_ = by;
    return *this;
  }
  // By the limits of the FleetPolicy, or by what else its sets show.
  Fleet& old_set_held(std::string_view by) {
    set_held_by_ = by;
    return *this;
  }
  Fleet& without_policy() {
    seen_.rollout.reset();
    return *this;
  }
  // Through the Cluster, or by annotation: no turn is taken meanwhile.
  Fleet& stood_still(Seconds span) {
    auto& list = stored_.status.conditions;
    api::conditions::set(list, api::conditions::make(api::condition::kPaused, "True", "Paused"), 1,
                         seen_.now);
    seen_.now = seen_.now + span;
    return *this;
  }
  std::string lost() {
    seen_.stored = std::make_shared<const api::MachineDeployment>(stored_);
    return lost_rollout_in_words(seen_);
  }
  std::optional<Seconds> due_in() const { return progress_due_in(seen_, stored_); }
  std::string message() const {
    return api::conditions::find(stored_.status.conditions, kProgressing)->message.str();
  }

 private:
  static Snapshot<api::MachineSet> set_of(std::string_view name, const api::MachineDeployment& deployment,
                                          std::int32_t replicas, std::int32_t available) {
    return a_machine_set(name)
        .reporting(replicas, available, available)
        .with([&](auto& set) {
          set.spec.machine_template.spec = deployment.spec.machine_template.spec;
          set.status.up_to_date_replicas = replicas;
        })
        .shared();
  }
  Snapshot<api::MachineSet> held_set(Snapshot<api::MachineSet> set) const {
    if (set_held_by_.empty()) return set;
    api::MachineSet held = *set;
    api::conditions::set(held.status.conditions,
                         api::conditions::make(api::condition::kScalingDown, "True", "ScalingDown",
                                               "Scaling down from 3 to 0 replicas\n* " + set_held_by_),
                         1, seen_.now);
    return std::make_shared<const api::MachineSet>(std::move(held));
  }
  std::string says() const {
    const auto found = api::conditions::find(stored_.status.conditions, kProgressing);
    return found == nullptr ? "absent" : found->status.str() + " " + found->reason.str();
  }

  Observation seen_ = {};
  api::MachineDeployment stored_ = {};
  Plan plan_ = {};
  bool fails_ = false;
  std::string held_by_ = {};
  std::string brake_ = {};
  std::string set_held_by_ = {};
};

TEST(Progressing, IsSaidOnlyWhereAPolicyAsksForIt) {
  Fleet fleet;
  EXPECT_EQ(fleet.turn(Seconds(0), 3, 0, 3), "True NewMachineSetAvailable");
  EXPECT_EQ(fleet.without_policy().turn(Seconds(1), 3, 0, 3), "absent");
  EXPECT_EQ(Fleet().without_policy().turn(Seconds(0), 0, 0, 0), "absent");
}

TEST(Progressing, IsTakenOffWithAWordWhereThePolicyGoesInTheMiddleOfARollout) {
  Fleet fleet;
  fleet.turn(Seconds(0), 3, 0, 3);
  EXPECT_EQ(fleet.without_policy().lost(), "") << "nothing was under way";

  Fleet rolling;
  rolling.makes_a_set().turn(Seconds(0), 0, 3, 3);
  rolling.turn(Seconds(1), 1, 2, 2);
  EXPECT_EQ(rolling.lost(), "");

  EXPECT_TRUE(rolling.without_policy().lost().starts_with("no MachineLifecyclePolicy with spec.rollout"));
}

TEST(Progressing, TellsARolloutFromItsBeginningToItsEnd) {
  Fleet fleet;
  EXPECT_EQ(fleet.makes_a_set().turn(Seconds(0), 0, 3, 0), "True NewMachineSetCreated");
  EXPECT_EQ(fleet.turn(Seconds(50), 0, 3, 0), "True NewMachineSetCreated");
  EXPECT_EQ(fleet.turn(Seconds(1), 1, 3, 0), "True MachineSetUpdated");
  EXPECT_EQ(fleet.turn(Seconds(99), 1, 3, 0), "True MachineSetUpdated");
  EXPECT_EQ(fleet.turn(Seconds(0), 3, 0, 2), "True MachineSetUpdated");
  EXPECT_EQ(fleet.turn(Seconds(1), 3, 0, 3), "True NewMachineSetAvailable");
}

TEST(Progressing, IsFalseWhenTheDeadlineIsOverAndTrueAgainWithTheNextProgress) {
  Fleet fleet;
  fleet.makes_a_set().turn(Seconds(0), 0, 3, 0);
  EXPECT_EQ(fleet.due_in(), Seconds(100));
  fleet.turn(Seconds(40), 1, 3, 0);
  EXPECT_EQ(fleet.due_in(), Seconds(100));
  fleet.turn(Seconds(99), 1, 3, 0);
  EXPECT_EQ(fleet.due_in(), Seconds(1));

  EXPECT_EQ(fleet.turn(Seconds(1), 1, 3, 0), "False ProgressDeadlineExceeded");
  EXPECT_EQ(fleet.due_in(), std::nullopt);
  EXPECT_EQ(fleet.message(),
            "1 of 3 replicas are up to date, 3 old ones are there, 0 are available; no progress in the time "
            "that the policy allows: see the conditions of the new Machines, correct spec.template, or go "
            "back with annotation capstan.dev/rollback-to: \"0\"");
  EXPECT_EQ(fleet.turn(Seconds(500), 1, 3, 0), "False ProgressDeadlineExceeded");
  EXPECT_EQ(fleet.turn(Seconds(1), 1, 3, 1), "True MachineSetUpdated");
}

TEST(Progressing, OfARolloutThatIsOverIsNothingToSickMachinesAndScaling) {
  Fleet fleet;
  fleet.turn(Seconds(0), 3, 0, 3);

  EXPECT_EQ(fleet.turn(Seconds(500), 3, 0, 1), "True NewMachineSetAvailable");
  EXPECT_EQ(fleet.turn(Seconds(500), 2, 0, 1), "True NewMachineSetAvailable");
  EXPECT_EQ(fleet.due_in(), std::nullopt);
}

// Its set is there already, so none is made.
TEST(Progressing, BeginsAnewWhereAnEarlierTemplateIsTakenUp) {
  Fleet fleet;
  fleet.turn(Seconds(0), 3, 0, 3);

  EXPECT_EQ(fleet.turn(Seconds(5000), 0, 3, 0), "True MachineSetUpdated");
  EXPECT_EQ(fleet.due_in(), Seconds(100));
}

TEST(Progressing, DoesNotExceedWhilePausedAndCountsAnewAfterwards) {
  Fleet fleet;
  fleet.makes_a_set().turn(Seconds(0), 1, 3, 0);

  EXPECT_EQ(fleet.paused(true).turn(Seconds(90), 1, 3, 0), "Unknown DeploymentPaused");
  EXPECT_EQ(fleet.due_in(), std::nullopt);
  EXPECT_EQ(fleet.turn(Seconds(900), 1, 3, 0), "Unknown DeploymentPaused");
  EXPECT_EQ(fleet.paused(false).turn(Seconds(1), 1, 3, 0), "True MachineSetUpdated");
  EXPECT_EQ(fleet.turn(Seconds(99), 1, 3, 0), "True MachineSetUpdated");
  EXPECT_EQ(fleet.turn(Seconds(1), 1, 3, 0), "False ProgressDeadlineExceeded");
}

// A roll back is no remedy for a window that is shut.
TEST(Progressing, DoesNotExceedWhileABrakeHoldsItAndNamesTheBrake) {
  Fleet fleet;
  fleet.makes_a_set().turn(Seconds(0), 1, 3, 3);

  EXPECT_EQ(fleet.held("the next window opens at 02:00").turn(Seconds(99), 1, 3, 3), "Unknown RolloutHeld");
  EXPECT_THAT(fleet.message(), HasSubstr("no time counts while it is held: the next window opens at 02:00"));
  EXPECT_EQ(fleet.due_in(), std::nullopt);
  EXPECT_EQ(fleet.turn(Seconds(9000), 1, 3, 3), "Unknown RolloutHeld");
  EXPECT_EQ(fleet.held("").braked("frozen").turn(Seconds(1), 1, 3, 3), "Unknown RolloutHeld");
  EXPECT_THAT(fleet.message(), HasSubstr("while it is held: frozen"));
  EXPECT_EQ(fleet.braked("").turn(Seconds(1), 1, 3, 3), "True MachineSetUpdated");
  EXPECT_EQ(fleet.turn(Seconds(100), 1, 3, 3), "False ProgressDeadlineExceeded");
}

TEST(Progressing, DoesNotExceedWhileOldMachinesWaitForAPlaceInTheLimitsOfTheFleet) {
  Fleet fleet;
  fleet.makes_a_set().turn(Seconds(0), 1, 3, 3);

  const std::string waits = "Machines that wait for a place in the limits of FleetPolicy fleet: m1";
  EXPECT_EQ(fleet.old_set_held(waits).turn(Seconds(101), 1, 3, 3), "Unknown RolloutHeld");
  EXPECT_THAT(fleet.message(), HasSubstr("MachineSet old: " + waits));
}

TEST(Progressing, StaysExceededThroughAHold) {
  Fleet fleet;
  fleet.makes_a_set().turn(Seconds(0), 1, 3, 0);
  fleet.turn(Seconds(100), 1, 3, 0);

  EXPECT_EQ(fleet.held("frozen").turn(Seconds(1), 1, 3, 0), "False ProgressDeadlineExceeded");
}

TEST(Progressing, CountsNothingFromWhileItsClusterWasPaused) {
  Fleet fleet;
  fleet.turn(Seconds(0), 1, 3, 0);

  EXPECT_EQ(fleet.stood_still(Seconds(900)).turn(Seconds(0), 1, 3, 0), "True MachineSetUpdated");
  EXPECT_EQ(fleet.due_in(), Seconds(100));
  EXPECT_EQ(fleet.turn(Seconds(100), 1, 3, 0), "False ProgressDeadlineExceeded");
}

TEST(Progressing, IsNotMadeByASetThatCouldNotBeMade) {
  Fleet fleet;
  fleet.turn(Seconds(0), 0, 3, 3);

  EXPECT_EQ(fleet.makes_a_set(true).turn(Seconds(100), 0, 3, 3), "False ProgressDeadlineExceeded");
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
