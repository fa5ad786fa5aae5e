// Whole turns of MachineDeployments that a policy with `rollout` selects, and of those with the annotations
// that go with it, on their stage (turn_fixture.h).
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "controllers/machinedeployment/turn_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machinedeployment {
namespace {

using namespace std::chrono_literals;
using api::policy::annotation::kRollbackTo;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// md1 at rest, and the policy that selects it.
void governed(const api::PolicyRollout& rollout, const Story& story) {
  at_rest([&](MachineDeploymentFixture& stage) {
    stage.make(builders::a_policy("care").selecting_everything().rollout(rollout).build());
    stage.settle();
    stage.writes.clear();
    story(stage);
  });
}

void roll(MachineDeploymentFixture& stage, std::string_view version) {
  stage.edit(fmt::format(R"({{"spec":{{"template":{{"spec":{{"version":"{}"}}}}}}}})", version));
  for (int step = 0; step < 8; ++step) {
    stage.settle();
    stage.play_sets();
  }
  stage.settle();
}

void ask_back(MachineDeploymentFixture& stage, std::string_view revision) {
  stage.edit(fmt::format(R"({{"metadata":{{"annotations":{{"{}":"{}"}}}}}})", kRollbackTo, revision));
  stage.settle();
}

bool asks_back(MachineDeploymentFixture& stage) {
  return stage.deployment().metadata.annotations.contains(kRollbackTo);
}

std::string_view revision_of(const api::ObjectMeta& object) {
  return object.annotations.value_or_empty(annotation::kRevision);
}

TEST(PolicyTurns, KeepAHistoryOfTheLengthThatIsAskedForWhileAPolicyAsksForIt) {
  governed({.revision_history_limit = 1}, [](MachineDeploymentFixture& stage) {
    roll(stage, "v1.34.0");
    EXPECT_THAT(stage.sizes(), ElementsAre(0, 3));
    roll(stage, "v1.35.0");
    EXPECT_THAT(stage.sizes(), ElementsAre(0, 3));
    EXPECT_EQ(revision_of(stage.sets().front().metadata), "2");

    stage.edit<api::MachineLifecyclePolicy>("care", R"({"spec":{"rollout":null}})");
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(3));
  });
}

TEST(PolicyTurns, APolicyThatSelectsTheTemplateGovernsTheDeployment) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"metadata":{"labels":{"team":"a"}}}}})");
    stage.settle();
    stage.make(builders::a_policy("care").selecting("team", "a").rollout({}).build());
    stage.settle();

    roll(stage, "v1.34.0");

    EXPECT_THAT(stage.sizes(), ElementsAre(0, 3));
  });
}

TEST(PolicyTurns, AHistoryAtRestIsNotWritten) {
  governed({}, [](MachineDeploymentFixture& stage) {
    roll(stage, "v1.34.0");
    stage.writes.clear();

    stage.queue().add(stage.key());
    stage.settle(30min);

    EXPECT_THAT(stage.writes, IsEmpty());
  });
}

TEST(PolicyTurns, ARollbackIsOneWriteAndTakesUpTheSetOfItsRevision) {
  governed({}, [](MachineDeploymentFixture& stage) {
    roll(stage, "v1.34.0");
    stage.events.events.clear();
    stage.writes.clear();

    ask_back(stage, "1");

    EXPECT_EQ(stage.deployment().spec.machine_template.spec.version, "v1.33.0");
    EXPECT_FALSE(asks_back(stage));
    EXPECT_FALSE(
        stage.deployment().spec.machine_template.metadata.labels.contains(api::label::kMachineTemplateHash));
    EXPECT_EQ(revision_of(stage.sets().front().metadata), "3");
    EXPECT_EQ(revision_of(stage.deployment().metadata), "3");
    EXPECT_THAT(stage.sizes(), ElementsAre(1, 3));
    EXPECT_EQ(stage.writes.front(), "patch MachineDeployment");
    EXPECT_THAT(stage.events.events,
                Contains(HasSubstr("Normal RolledBack: Rolled back to the template of revision 1")));
  });
}

TEST(PolicyTurns, ARollbackThatCannotBeIsRefusedOnce) {
  governed({}, [](MachineDeploymentFixture& stage) {
    roll(stage, "v1.34.0");
    stage.events.events.clear();

    ask_back(stage, "9");
    ask_back(stage, "2");

    EXPECT_FALSE(asks_back(stage));
    EXPECT_EQ(stage.deployment().spec.machine_template.spec.version, "v1.34.0");
    EXPECT_THAT(
        stage.events.events,
        ElementsAre(HasSubstr("Warning RollbackRevisionNotFound: revision 9 is gone; of revisions there "
                              "are 1, 2"),
                    HasSubstr("Warning RollbackTemplateUnchanged: revision 2 has the template")));
  });
}

TEST(PolicyTurns, ARollbackToATemplateThatIsGoneIsRefused) {
  governed({}, [](MachineDeploymentFixture& stage) {
    stage.make_template(kInfraTemplates, "md2");
    stage.edit(R"({"spec":{"template":{"spec":{"infrastructureRef":{"name":"md2"}}}}})");
    roll(stage, "v1.34.0");
    stage.remove(kInfraTemplates, "md1");
    stage.settle();

    ask_back(stage, "1");

    EXPECT_FALSE(asks_back(stage));
    EXPECT_EQ(stage.deployment().spec.machine_template.spec.infrastructure_ref.name, "md2");
    EXPECT_THAT(
        stage.events.events,
        Contains(HasSubstr("Warning RollbackTemplateGone: revision 1 refers to DockerMachineTemplate md1, "
                           "which does not exist")));
  });
}

// Nothing keeps the old set once the rollout is complete; until then there is a way back.
TEST(PolicyTurns, WithoutAPolicyARollbackGoesBackHalfWay) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();

    ask_back(stage, "0");

    EXPECT_FALSE(asks_back(stage));
    EXPECT_EQ(stage.deployment().spec.machine_template.spec.version, "v1.33.0");
    EXPECT_EQ(stage.says(api::policy::condition::kProgressing), "absent");
  });
}

TEST(PolicyTurns, AnotherRolloutHashRollsAlthoughNothingElseDiffers) {
  at_rest([](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"metadata":{"annotations":{"capstan.dev/rollout-hash":"1"}}}}})");
    stage.settle();

    ASSERT_THAT(stage.sizes(), ElementsAre(3, 1));
    const auto hash_of = [](const api::MachineSet& set) {
      return std::string(set.spec.machine_template.metadata.annotations.value_or_empty(
          api::policy::annotation::kRolloutHash));
    };
    EXPECT_EQ(hash_of(stage.sets().front()), "");
    EXPECT_EQ(hash_of(stage.sets().back()), "1");
  });
}

TEST(PolicyTurns, ProgressIsSaidAndTheDeadlineNeedsNoEvent) {
  governed({.progress_deadline_seconds = 120}, [](MachineDeploymentFixture& stage) {
    EXPECT_THAT(stage.says(api::policy::condition::kProgressing), StartsWith("True NewMachineSetAvailable"));
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();
    EXPECT_THAT(stage.says(api::policy::condition::kProgressing), StartsWith("True NewMachineSetCreated"));

    stage.settle(125s);

    EXPECT_THAT(stage.says(api::policy::condition::kProgressing),
                StartsWith("False ProgressDeadlineExceeded"));
  });
}

TEST(PolicyTurns, ASlowStartMakesOneMachineUntilItIsAvailable) {
  governed({.slow_start = 1}, [](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"rollout":{"strategy":{"rollingUpdate":{"maxSurge":3}}},
                           "template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();
    EXPECT_THAT(stage.sizes(), ElementsAre(3, 1));

    stage.play_sets();
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(2, 3));
  });
}

TEST(PolicyTurns, RecreateMakesTheNewMachinesWhenTheOldOnesAreGone) {
  governed({.recreate = api::PolicyRecreate()}, [](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();
    EXPECT_THAT(stage.sizes(), ElementsAre(0, 0));

    stage.play_sets();
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(0, 3));
  });
}

TEST(PolicyTurns, APauseHalfWayMakesNoNewMachineBesideAnOldOne) {
  governed({.recreate = api::PolicyRecreate()}, [](MachineDeploymentFixture& stage) {
    stage.edit(R"({"spec":{"template":{"spec":{"version":"v1.34.0"}}}})");
    stage.settle();
    stage.edit(R"({"spec":{"paused":true}})");
    stage.settle();
    EXPECT_THAT(stage.sizes(), ElementsAre(0, 0));

    stage.play_sets();
    stage.settle();

    EXPECT_THAT(stage.sizes(), ElementsAre(0, 3));
  });
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
