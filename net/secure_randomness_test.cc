#include "net/secure_randomness.h"

#include <gtest/gtest.h>

#include <set>

namespace capstan::net {
namespace {

TEST(SecureRandomness, NeverGivesANumberTwice) {
  SecureRandomness randomness;
  std::set<std::uint64_t> seen;

  for (int i = 0; i < 1000; ++i) seen.insert(randomness.next());

  EXPECT_EQ(seen.size(), 1000U);
}

}  // namespace
}  // namespace capstan::net
