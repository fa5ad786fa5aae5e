#include "controllers/machine/exhaustion_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/machine/observation_fixture.h"
#include "test/builders/machine_lifecycle_policy.h"

namespace capstan::controllers::machine {
namespace {

constexpr std::string_view kUntil = "capstan.dev/resource-exhausted-until";

json::object not_ready(std::string_view reason) {
  return {{"conditions", json::array{{{"type", "Ready"},
                                      {"status", "False"},
                                      {"reason", reason},
                                      {"message", "quota of 10 VMs reached"},
                                      {"lastTransitionTime", "2026-01-01T12:00:00Z"}}}}};
}

Observation with_a_policy(const api::Machine& machine, std::string_view reason) {
  Observation seen = seen_of(machine);
  infra_says(seen, {}, not_ready(reason));
  seen.policy = builders::a_policy("care")
                    .with([](api::MachineLifecyclePolicy& policy) {
                      policy.spec.creation = api::PolicyCreation{.resource_exhausted_retry_seconds = 30};
                    })
                    .shared();
  return seen;
}

std::string noted(const Observation& seen) {
  return std::string(decide(seen).wanted.metadata.annotations.value_or_empty(kUntil));
}

TEST(ExhaustionSteps, NoteOnceUntilWhenNoOtherVmIsAskedFor) {
  const std::string first = noted(with_a_policy(a_machine("m1").in_set("s"), "ResourceExhausted"));
  const std::string later = noted(with_a_policy(
      a_machine("m1").in_set("s").annotated(kUntil, "2026-01-01T12:00:05Z"), "ResourceExhausted"));

  EXPECT_EQ(first, (kNow + Seconds(30)).to_string());
  EXPECT_EQ(later, "2026-01-01T12:00:05Z");
}

TEST(ExhaustionSteps, TakeNothingElseForIt) {
  for (const auto* reason : {"CredentialsUnreadable", "VmNotCreated", "WaitingForBootstrapData"})
    EXPECT_EQ(noted(with_a_policy(a_machine("m1").in_set("s"), reason)), "") << reason;
}

TEST(ExhaustionSteps, AreOverWithTheTroubleAndWithThePolicy) {
  const auto machine = a_machine("m1").in_set("s").annotated(kUntil, (kNow + Seconds(5)).to_string());
  Observation without_policy = with_a_policy(machine, "ResourceExhausted");
  without_policy.policy = nullptr;
  Observation provisioned = with_a_policy(machine, "VmNotCreated");
  provisioned.machine =
      a_machine("m1")
          .in_set("s")
          .annotated(kUntil, (kNow + Seconds(5)).to_string())
          .with([](api::Machine& made) { made.status.initialization.infrastructure_provisioned = true; })
          .shared();

  EXPECT_EQ(noted(provisioned), "");
  EXPECT_EQ(noted(without_policy), "");
}

// A cloud that is full and fails by turns (seed 527 wrote the Machine at each turn of it).
TEST(ExhaustionSteps, LastTheirTimeThroughAnotherError) {
  const auto until = [](Seconds from_now) {
    return noted(with_a_policy(a_machine("m1").in_set("s").annotated(kUntil, (kNow + from_now).to_string()),
                               "VmNotCreated"));
  };

  EXPECT_EQ(until(Seconds(5)), (kNow + Seconds(5)).to_string());
  EXPECT_EQ(until(Seconds(0)), "");
}

TEST(ExhaustionSteps, ReplaceATimeThatIsNone) {
  const auto machine = a_machine("m1").in_set("s").annotated(kUntil, "soon");

  EXPECT_EQ(noted(with_a_policy(machine, "ResourceExhausted")), (kNow + Seconds(30)).to_string());
}

}  // namespace
}  // namespace capstan::controllers::machine
