#include "controllers/machinedeployment/rollback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "base/safeguards.h"
#include "controllers/machinedeployment/decide.h"
#include "controllers/rollout/rollback.h"
#include "test/builders/cluster.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::machinedeployment {
namespace {

namespace event = api::policy::event;
using api::policy::annotation::kRollbackTo;
using builders::a_machine_deployment;
using builders::a_machine_set;
using testing::HasSubstr;

Snapshot<api::MachineSet> made(std::string_view name, std::string_view version, std::string_view revision) {
  return a_machine_set(name)
      .with(
          [](auto& set) { set.spec.machine_template = a_machine_deployment().build().spec.machine_template; })
      .version(version)
      .revision(revision)
      .shared();
}

constexpr TemplateSeen::State kExists = TemplateSeen::State::Exists;

// A deployment that went from v1 to v2, and is to go back.
Observation seen_with(std::string_view wanted, TemplateSeen::State infrastructure = kExists) {
  const api::MachineDeployment deployment =
      a_machine_deployment().version("v2").annotated(kRollbackTo, wanted);
  Observation seen{.now = builders::noon(),
                   .stored = std::make_shared<const api::MachineDeployment>(deployment)};
  seen.deployment = deployment;
  seen.cluster = builders::a_cluster().shared();
  seen.sets = {made("a", "v1", "1"), made("b", "v2", "2")};
  seen.rollback = RollbackSeen{.wanted = std::string(wanted),
                               .target = rollout::set_to_go_back_to(wanted, deployment, seen.sets),
                               .infrastructure = {.state = infrastructure,
                                                  .kind = "DockerMachineTemplate",
                                                  .name = "old",
                                                  .problem = "the kind is not served"},
                               .bootstrap = {.state = kExists}};
  return seen;
}

RefuseRollback refusal(const Observation& seen) {
  const Plan plan = decide(seen);
  EXPECT_EQ(plan.actions.size(), 1U);
  const auto* refused = std::get_if<RefuseRollback>(&plan.actions.front());
  EXPECT_NE(refused, nullptr);
  return refused == nullptr ? RefuseRollback() : *refused;
}

TEST(Rollback, IsTheOnlyStepOfItsTurn) {
  for (const auto* wanted : {"1", "0"}) {
    const Plan plan = decide(seen_with(wanted));

    ASSERT_EQ(plan.actions.size(), 1U);
    const auto* back = std::get_if<RollBack>(&plan.actions.front());
    ASSERT_NE(back, nullptr);
    EXPECT_EQ(back->revision, "1");
    EXPECT_EQ(back->to.spec.version, "v1");
    EXPECT_TRUE(plan.rolls_back);
  }
}

TEST(Rollback, ToWhatIsGoneIsRefusedWithTheRevisionsThereAre) {
  const auto refused = refusal(seen_with("7"));

  EXPECT_EQ(refused.code, api::NoteCode::RollbackRevisionNotFound);
  EXPECT_EQ(refused.why, "revision 7 is gone; of revisions there are 1, 2");
}

TEST(Rollback, ToTheLastOneIsRefusedWhereThereIsNoOther) {
  auto seen = seen_with("0");
  seen.sets = {seen.sets.back()};
  seen.rollback->target = nullptr;

  const auto refused = refusal(seen);

  EXPECT_EQ(refused.code, api::NoteCode::RollbackRevisionNotFound);
  EXPECT_THAT(refused.why, HasSubstr("no MachineSet has another template"));
}

TEST(Rollback, ToThePresentTemplateIsRefused) {
  const auto refused = refusal(seen_with("2"));

  EXPECT_EQ(refused.code, api::NoteCode::RollbackTemplateUnchanged);
  EXPECT_EQ(refused.why, "revision 2 has the template that there is already");
}

TEST(Rollback, ToNonsenseIsRefusedWithWhatItMayBe) {
  for (const auto* wanted : {"last", "-1", ""}) {
    const auto refused = refusal(seen_with(wanted));

    EXPECT_EQ(refused.code, api::NoteCode::RollbackRefused);
    EXPECT_THAT(refused.why, HasSubstr("is no revision; use its number, or 0 for the last one"));
  }
}

TEST(Rollback, ToATemplateThatRefersToWhatIsGoneIsRefusedWithTheRemedy) {
  const auto missing = refusal(seen_with("1", TemplateSeen::State::Missing));
  const auto unknown = refusal(seen_with("1", TemplateSeen::State::Unknown));

  EXPECT_EQ(missing.code, api::NoteCode::RollbackTemplateGone);
  EXPECT_EQ(missing.why,
            "revision 1 refers to DockerMachineTemplate old, which does not exist; create it, and ask again");
  EXPECT_EQ(unknown.code, api::NoteCode::RollbackRefused);
  EXPECT_EQ(unknown.why, "revision 1: the kind is not served");
}

#ifdef CAPSTAN_DEFECTS
TEST(Rollback, WithoutItsSafeguardGoesToATemplateThatRefersToWhatIsGone) {
  switch_off(Safeguard::RollbackTemplates);
  const Plan plan = decide(seen_with("1", TemplateSeen::State::Missing));
  switch_off(std::nullopt);

  ASSERT_EQ(plan.actions.size(), 1U);
  EXPECT_TRUE(std::holds_alternative<RollBack>(plan.actions.front()));
}
#endif

TEST(Rollback, WaitsForTemplatesThatAreNotListedYetAndForCaches) {
  const Plan unlisted = decide(seen_with("1", TemplateSeen::State::Unlisted));
  auto behind = seen_with("1");
  behind.complete = false;
  const Plan lagging = decide(behind);

  EXPECT_TRUE(unlisted.too_early);
  EXPECT_TRUE(unlisted.actions.empty());
  EXPECT_FALSE(lagging.rolls_back);
}

}  // namespace
}  // namespace capstan::controllers::machinedeployment
