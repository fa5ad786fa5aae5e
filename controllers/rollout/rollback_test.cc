#include "controllers/rollout/rollback.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::rollout {
namespace {

using api::policy::annotation::kRolloutHash;
using builders::a_machine_deployment;
using builders::a_machine_set;

SetSnapshot made(std::string_view name, std::string_view version, std::string_view revision) {
  return a_machine_set(name)
      .with(
          [](auto& set) { set.spec.machine_template = a_machine_deployment().build().spec.machine_template; })
      .version(version)
      .revision(revision)
      .shared();
}

// md1 wants v3, which is the third revision.
std::string target_of(std::string_view wanted, const std::vector<SetSnapshot>& sets) {
  const auto found = set_to_go_back_to(wanted, a_machine_deployment().version("v3"), sets);
  return found ? found->metadata.name.str() : "none";
}

TEST(SetToGoBackTo, IsThatOfTheRevision) {
  const std::vector<SetSnapshot> sets = {made("a", "v1", "1"), made("b", "v2", "2"), made("c", "v3", "3")};

  EXPECT_EQ(target_of("1", sets), "a");
  EXPECT_EQ(target_of("3", sets), "c") << "it is for the caller to say that nothing would change";
  EXPECT_EQ(target_of("4", sets), "none");
  EXPECT_EQ(target_of("-1", sets), "none");
  EXPECT_EQ(target_of("first", sets), "none");
  EXPECT_EQ(target_of("", sets), "none");
}

TEST(SetToGoBackTo, OfZeroIsTheLastOneWithAnotherTemplate) {
  EXPECT_EQ(target_of("0", {made("a", "v1", "1"), made("c", "v3", "3"), made("b", "v2", "2")}), "b");
  EXPECT_EQ(target_of("0", {made("a", "v1", "1"), made("b", "v2", "2")}), "b") << "v3 has no set yet";
  EXPECT_EQ(target_of("0", {made("c", "v3", "3")}), "none");
  EXPECT_EQ(target_of("0", {made("a", "v1", "nonsense")}), "none");
}

TEST(SetToGoBackTo, IsNoneThatIsOnItsWayOut) {
  const auto going = a_machine_set("a").version("v1").revision("1").deleting().shared();

  EXPECT_EQ(target_of("1", {going}), "none");
  EXPECT_EQ(target_of("0", {going}), "none");
}

TEST(RolledBack, TakesWhatRollsFromTheEarlierTemplateAndKeepsTheRest) {
  api::MachineTemplate present = a_machine_deployment().version("v3").build().spec.machine_template;
  present.metadata.labels.set("team", "blue");
  present.metadata.annotations.set(kRolloutHash, "2");
  present.spec.min_ready_seconds = 30;
  api::MachineTemplate earlier = a_machine_deployment().version("v1").build().spec.machine_template;
  earlier.metadata.labels.set(api::label::kMachineTemplateHash, "123-abcde");
  earlier.metadata.annotations.set(kRolloutHash, "1");
  earlier.spec.infrastructure_ref.name = "old"_text;

  const auto after = rolled_back(present, earlier);

  EXPECT_EQ(after.spec.version, "v1");
  EXPECT_EQ(after.spec.infrastructure_ref.name, "old");
  EXPECT_EQ(after.metadata.annotations.value_or_empty(kRolloutHash), "1");
  EXPECT_EQ(after.spec.min_ready_seconds, 30);
  EXPECT_EQ(after.metadata.labels, present.metadata.labels);
}

}  // namespace
}  // namespace capstan::controllers::rollout
