#include "agent/state.h"

#include <gtest/gtest.h>

namespace capstan::agent {
namespace {

TEST(State, ComesBackAsItWasWritten) {
  const State state = {.applied = "c1",
                       .files = {{"/etc/a", {"a.service", "b.service"}}, {"/etc/b", {}}},
                       .units = {{"a.service", true}, {"b.service", false}},
                       .restarts = {"a.service"},
                       .asked = {"c.service"},
                       .reload = true,
                       .delay = Delay{.checksum = "c2", .until = 7},
                       .version = "v1.36.0",
                       .update = "web-2",
                       .running_before = "v1.35.3",
                       .certificate_received = 9};

  EXPECT_EQ(parse_state(render(state)).value_or(State()), state);
  EXPECT_EQ(parse_state(render({})).value_or(state), State());
}

TEST(State, WhatIsNoneIsRefused) {
  EXPECT_FALSE(parse_state(""));
  EXPECT_FALSE(parse_state("[]"));
  EXPECT_FALSE(parse_state(R"({"files":7})"));
}

}  // namespace
}  // namespace capstan::agent
