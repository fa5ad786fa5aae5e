#include "base/names.h"

#include <gmock/gmock.h>

namespace capstan {
namespace {

class FixedNames final : public NameGenerator {
 public:
  std::string suffix(std::size_t length) override { return std::string(length, 'x'); }
};

TEST(GenerateName, AppendsFiveCharacters) {
  FixedNames names;

  EXPECT_EQ(generate_name(names, "md-0-"), "md-0-xxxxx");
  EXPECT_EQ(generate_name(names, ""), "xxxxx");
}

TEST(GenerateName, CutsTheBaseNeverTheSuffix) {
  FixedNames names;

  EXPECT_EQ(generate_name(names, std::string(58, 'a')), std::string(58, 'a') + "xxxxx");
  EXPECT_EQ(generate_name(names, std::string(59, 'a')), std::string(58, 'a') + "xxxxx");
  EXPECT_EQ(generate_name(names, std::string(300, 'a'), 10), "aaaaaxxxxx");
}

TEST(RandomNames, UsesOnlyKubernetesAlphabet) {
  SeededRandomness randomness(1);
  RandomNames names(randomness);

  const std::string letters = names.suffix(10'000);

  EXPECT_EQ(letters.find_first_not_of(kNameAlphabet), std::string::npos);
  for (const char letter : kNameAlphabet) EXPECT_GT(std::ranges::count(letters, letter), 250) << letter;
}

TEST(RandomNames, RepeatTheirNamesForTheSameSeedOnly) {
  SeededRandomness one(7), again(7), other(8);

  const std::string first = RandomNames(one).suffix(5);

  EXPECT_EQ(RandomNames(again).suffix(5), first);
  EXPECT_NE(RandomNames(other).suffix(5), first);
  EXPECT_NE(RandomNames(one).suffix(5), first);
}

TEST(Below, IsEvenAndStaysBelow) {
  SeededRandomness randomness(3);
  std::array<int, 3> seen = {};

  for (int i = 0; i < 30'000; ++i) ++seen.at(below(randomness, 3));

  EXPECT_THAT(seen, testing::Each(testing::AllOf(testing::Gt(9'500), testing::Lt(10'500))));
}

TEST(UnitInterval, CoversZeroToJustBelowOne) {
  EXPECT_EQ(unit_interval(0), 0.0);
  EXPECT_LT(unit_interval(~0ULL), 1.0);
  EXPECT_GT(unit_interval(~0ULL), 0.999999);
}

TEST(RandomUuid, IsVersionFour) {
  SeededRandomness randomness(1);

  const std::string uuid = random_uuid(randomness);

  EXPECT_THAT(uuid,
              testing::MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
  EXPECT_NE(random_uuid(randomness), uuid);
}

TEST(SystemRandomness, DiffersBetweenInstances) {
  SystemRandomness a, b;

  EXPECT_NE(a.next(), b.next());
}

}  // namespace
}  // namespace capstan
