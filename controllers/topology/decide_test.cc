#include "controllers/topology/decide.h"

#include <gtest/gtest.h>

namespace capstan::controllers::topology {
namespace {

api::ContractRef named(std::string_view name) {
  return {.api_group = "infrastructure.cluster.x-k8s.io"_text,
          .kind = "DevMachineTemplate"_text,
          .name = Text(name)};
}

// A MachineDeployment on its way out that makes Machines from `old`; nothing else of it stays.
Observation going() {
  return {.deleting = true,
          .has_finalizer = true,
          .may_have_health_check = true,
          .templates = {named("old")},
          .in_use = Templates()};
}

TEST(Decide, WhatLivesGetsItsFinalizerOnce) {
  EXPECT_EQ(decide({}), Plan{.put_finalizer = true});
  EXPECT_EQ(decide({.has_finalizer = true}), Plan{});
}

TEST(Decide, WhatGoesTakesItsTemplatesAndItsHealthCheckWithIt) {
  const Plan plan = decide(going());

  EXPECT_EQ(plan, (Plan{.clean_up = true, .templates = {named("old")}, .health_check = true}));
}

TEST(Decide, ATemplateThatSomethingStillUsesStays) {
  auto seen = going();
  seen.in_use = Templates{named("old")};

  EXPECT_EQ(decide(seen), (Plan{.clean_up = true, .health_check = true}));
}

TEST(Decide, WhereItCanNotBeKnownWhatIsUsedTemplatesStay) {
  auto seen = going();
  seen.in_use.reset();

  EXPECT_EQ(decide(seen), (Plan{.clean_up = true, .health_check = true}));
}

TEST(Decide, WhatIsPausedIsLeftAlone) {
  auto seen = going();
  seen.paused = true;

  EXPECT_EQ(decide(seen), Plan{});
}

TEST(Decide, WhatHasNoFinalizerIsCleanedUpAlready) {
  auto seen = going();
  seen.has_finalizer = false;

  EXPECT_EQ(decide(seen), Plan{});
}

}  // namespace
}  // namespace capstan::controllers::topology
