#include "controllers/shared/confirm_release.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/names.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// What is asked of a MachineSet of generation 7 that carries this annotation.
std::string asked(const std::vector<std::string>& machines, std::string_view confirmed = "") {
  auto set = builders::a_machine_set().build();
  set.metadata.generation = 7;
  if (!confirmed.empty()) set.metadata.annotations.set(Text(api::annotation::kConfirmRelease), Text(confirmed));
  return unconfirmed_release({.kind = api::kind::kMachineSet, .owner = set.metadata, .machines = machines});
}

TEST(ConfirmRelease, NamesTheMachinesAndTheExactAnnotation) {
  EXPECT_EQ(asked({"b", "a"}),
            "spec.selector does not match 2 Machines any more and would release them (a, b): put spec.selector "
            "or their labels back, or confirm it with the annotation capstan.dev/confirm-release: \"7\" on this "
            "MachineSet");
}

TEST(ConfirmRelease, IsNotAskedForASingleMachine) { EXPECT_THAT(asked({"a"}), IsEmpty()); }

TEST(ConfirmRelease, HoldsForTheGenerationItNamesAndNoOther) {
  EXPECT_THAT(asked({"a", "b"}, "7"), IsEmpty());
  EXPECT_THAT(asked({"a", "b"}, "6"), HasSubstr("\"7\""));
  EXPECT_THAT(asked({"a", "b"}, "true"), HasSubstr("\"7\""));
}

}  // namespace
}  // namespace capstan::controllers
