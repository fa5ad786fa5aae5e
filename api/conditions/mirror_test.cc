#include "api/conditions/mirror.h"

#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::api::conditions {
namespace {

TEST(Mirror, CopiesWhatTheSourceSaysIncludingSinceWhen) {
  auto source = make("Ready", status::kFalse, "Broken", "no disk");
  source.last_transition_time = Time::from_unix(1500);
  source.observed_generation = 9;

  const auto mirrored = mirror(&source, "Ready", "InfrastructureReady");

  EXPECT_EQ(mirrored.type, "InfrastructureReady");
  EXPECT_EQ(mirrored.status, "False");
  EXPECT_EQ(mirrored.reason, "Broken");
  EXPECT_EQ(mirrored.message, "no disk");
  EXPECT_EQ(mirrored.last_transition_time, Time::from_unix(1500));
  EXPECT_EQ(mirrored.observed_generation, 0);
}

TEST(Mirror, UsesTheFallbackWithoutASource) {
  const auto mirrored =
      mirror(nullptr, "Ready", "InfrastructureReady",
             Fallback{.status = status::kFalse, .reason = "NotReady", .message = "not provisioned"});

  EXPECT_EQ(mirrored.status, "False");
  EXPECT_EQ(mirrored.reason, "NotReady");
  EXPECT_EQ(mirrored.message, "not provisioned");
  EXPECT_FALSE(mirrored.last_transition_time.is_set());
}

TEST(Mirror, IsUnknownWithoutSourceAndFallback) {
  const auto mirrored = mirror(nullptr, "Ready", "InfrastructureReady");

  EXPECT_EQ(mirrored.status, "Unknown");
  EXPECT_EQ(mirrored.reason, "NotYetReported");
  EXPECT_EQ(mirrored.message, "Condition Ready not yet reported");
}

}  // namespace
}  // namespace capstan::api::conditions
