#include "base/hash.h"

#include <gtest/gtest.h>

#include <bitset>
#include <map>
#include <string>
#include <vector>

namespace capstan {
namespace {

TEST(Fnv1a32, GivesThePublishedValues) {
  EXPECT_EQ(fnv1a_32(""), 0x811c9dc5U);
  EXPECT_EQ(fnv1a_32("a"), 0xe40c292cU);
  EXPECT_EQ(fnv1a_32("foobar"), 0xbf9cf968U);
}

TEST(Fnv1a32, CanBeContinued) {
  EXPECT_EQ(fnv1a_32("bar", fnv1a_32("foo")), fnv1a_32("foobar"));
  EXPECT_NE(fnv1a_32("foo", fnv1a_32("bar")), fnv1a_32("foobar"));
}

TEST(HashBytes, IsTheSameAtCompileTimeAndAtRunTime) {
  constexpr std::uint64_t at_compile_time = hash_bytes("seventeen bytes!!");
  const std::string at_run_time = std::string("seventeen") + " bytes!!";

  EXPECT_EQ(at_compile_time, hash_bytes(at_run_time));
}

TEST(HashBytes, SeesEveryByteAndTheLength) {
  EXPECT_NE(hash_bytes("aaaaaaaaa"), hash_bytes("aaaaaaaab"));
  EXPECT_NE(hash_bytes("baaaaaaaa"), hash_bytes("aaaaaaaaa"));
  EXPECT_NE(hash_bytes(std::string_view("a\0", 2)), hash_bytes("a"));
}

TEST(Mix64, OneBitChangesAboutHalfOfTheResult) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    const auto changed = std::bitset<64>(mix64(12345) ^ mix64(12345 ^ (1ULL << bit))).count();
    EXPECT_GT(changed, 16U) << bit;
    EXPECT_LT(changed, 48U) << bit;
  }
}

TEST(HashOf, DependsOnTheOrderOfAList) {
  using List = std::vector<std::string>;

  EXPECT_EQ(hash_of(List{"a", "b"}), hash_of(List{"a", "b"}));
  EXPECT_NE(hash_of(List{"a", "b"}), hash_of(List{"b", "a"}));
  EXPECT_NE(hash_of(List{"ab"}), hash_of(List{"a", "b"}));
}

TEST(HashOf, TellsKeysFromValues) {
  using Map = std::map<std::string, std::string>;

  EXPECT_EQ(hash_of(Map{{"a", "b"}}), hash_of(Map{{"a", "b"}}));
  EXPECT_NE(hash_of(Map{{"a", "b"}}), hash_of(Map{{"b", "a"}}));
}

}  // namespace
}  // namespace capstan
