#include "controllers/shared/replicas.h"

#include <gtest/gtest.h>

#include "api/names.h"

namespace capstan::controllers {
namespace {

Result<std::int32_t> within(std::string_view smallest, std::string_view largest,
                            std::optional<std::int32_t> there_is) {
  api::ObjectMeta metadata;
  if (!smallest.empty()) metadata.annotations.set(Text(api::annotation::kAutoscalerMinSize), Text(smallest));
  if (!largest.empty()) metadata.annotations.set(Text(api::annotation::kAutoscalerMaxSize), Text(largest));
  return replicas_when_left_out("MachineSet", metadata, there_is);
}

TEST(ReplicasLeftOut, TheNumberThereIsStaysWithinTheLimits) {
  EXPECT_EQ(within("1", "5", 3), 3);
  EXPECT_EQ(within("4", "5", 3), 4);
  EXPECT_EQ(within("1", "2", 3), 2);
}

TEST(ReplicasLeftOut, ANewObjectGetsTheSmallestSize) { EXPECT_EQ(within("2", "5", std::nullopt), 2); }

// Upstream's webhook makes it 1 then, which takes working Machines away.
TEST(ReplicasLeftOut, WithoutBothLimitsTheNumberThereIsStays) {
  EXPECT_EQ(within("", "", 3), 3);
  EXPECT_EQ(within("5", "", 3), 3);
  EXPECT_EQ(within("", "", std::nullopt), 1);
}

TEST(ReplicasLeftOut, ALimitThatIsNoNumberIsRefused) {
  const auto refused = within("some", "5", 3);

  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::Invalid);
}

}  // namespace
}  // namespace capstan::controllers
