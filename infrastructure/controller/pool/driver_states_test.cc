#include "infrastructure/controller/pool/driver_states.h"

#include <gtest/gtest.h>

namespace capstan::infrastructure::pool {
namespace {

DriverStates with(const std::vector<std::string>& keys) {
  DriverStates states;
  for (const auto& key : keys)
    states.keep(key, {.code = DriverCode::Aborted, .last_known_state = "of " + key});
  return states;
}

DriverStates read_back(const DriverStates& states) {
  api::DriverMachinePoolStatus status;
  status.last_known_states = states.as_status();
  return DriverStates(status);
}

TEST(DriverStates, ComeBackFromTheStatus) {
  const DriverStates states = read_back(with({"a", "b"}));

  EXPECT_EQ(states.of("a"), "of a");
  EXPECT_EQ(states.of("b"), "of b");
  EXPECT_EQ(states.of("c"), "");
}

TEST(DriverStates, StayWhileTheCallMayGoOnAndEndWithAFailureForGood) {
  DriverStates states = with({"a", "b"});

  states.keep("a", {.code = DriverCode::Unavailable});
  states.keep("b", {.code = DriverCode::InvalidArgument});

  EXPECT_EQ(states.of("a"), "of a");
  EXPECT_EQ(states.of("b"), "");
  EXPECT_EQ(states.as_status().size(), 1U);
}

TEST(DriverStates, EndWithTheWorkOnTheInstance) {
  DriverStates states = with({"a", "b", "c"});

  states.forget("a");
  states.forget_but({"c", "d"});

  EXPECT_EQ(states.as_status().size(), 1U);
  EXPECT_EQ(states.of("c"), "of c");
}

TEST(DriverStates, AreNoMoreThanAnObjectHasRoomFor) {
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < kMostDriverStates + 5; ++i) keys.push_back("k" + std::to_string(i));
  DriverStates states = with(keys);

  states.keep("k0", {.code = DriverCode::Aborted, .last_known_state = "further"});

  EXPECT_EQ(states.as_status().size(), kMostDriverStates);
  EXPECT_EQ(states.of("k0"), "further") << "one that is there may go on";
  EXPECT_EQ(states.of(keys.back()), "");
}

}  // namespace
}  // namespace capstan::infrastructure::pool
