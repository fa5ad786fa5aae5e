#include "controllers/shared/referrers.h"

#include <gtest/gtest.h>

#include "test/builders/machine.h"

namespace capstan::controllers {
namespace {

using builders::a_machine;

struct Wish {
  bool ready = false;
  int older_by = 0;
};

Snapshot<api::Machine> machine(std::string_view name, const Wish& wish) {
  api::Machine made = a_machine(name);
  made.status.initialization.infrastructure_provisioned = wish.ready;
  made.metadata.creation_timestamp = builders::noon() + Seconds(-wish.older_by);
  return std::make_shared<const api::Machine>(std::move(made));
}

std::string better_than_b(const Wish& a, const Wish& b) {
  const std::vector all = {machine("a", a), machine("b", b)};
  return better_claimant<api::Machine>(all, *all.back(), [](const api::Machine& each) {
    return each.status.initialization.infrastructure_provisioned.value_or(false);
  });
}

TEST(BetterClaimant, WasMadeReadyWithTheObject) {
  EXPECT_EQ(better_than_b({.ready = true}, {.older_by = 60}), "a");
  EXPECT_EQ(better_than_b({.older_by = 60}, {.ready = true}), "");
}

TEST(BetterClaimant, IsElseTheOlderOne) {
  EXPECT_EQ(better_than_b({.older_by = 60}, {}), "a");
  EXPECT_EQ(better_than_b({}, {.older_by = 60}), "");
  EXPECT_EQ(better_than_b({.ready = true, .older_by = 60}, {.ready = true}), "a");
}

TEST(BetterClaimant, IsElseTheFirstByName) { EXPECT_EQ(better_than_b({}, {}), "a"); }

}  // namespace
}  // namespace capstan::controllers
