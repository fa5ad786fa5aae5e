#include "net/handshake_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace capstan::net {
namespace {

using testing::ElementsAre;

TEST(HandshakeGate, LetsInAsManyAsItHasPlacesAndTheOthersInTurn) {
  HandshakeGate gate(2);
  std::vector<int> entered;
  for (int i = 1; i <= 4; ++i) gate.wait([&entered, i] { entered.push_back(i); });
  EXPECT_THAT(entered, ElementsAre(1, 2));

  gate.release();
  EXPECT_THAT(entered, ElementsAre(1, 2, 3));
  gate.release();

  EXPECT_THAT(entered, ElementsAre(1, 2, 3, 4));
}

TEST(HandshakeGate, KeepsAPlaceThatNobodyWaitedFor) {
  HandshakeGate gate(1);
  std::vector<int> entered;
  gate.wait([&] { entered.push_back(1); });
  gate.release();

  gate.wait([&] { entered.push_back(2); });

  EXPECT_THAT(entered, ElementsAre(1, 2));
}

}  // namespace
}  // namespace capstan::net
