#include "test/mutants/mutants.h"

#include <gmock/gmock.h>

namespace capstan::mutants {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::vector<Mutant> kTwo = {{.name = "gate", .promise = "were wanted at most"},
                                  {.name = "owner", .promise = "by a namesake|of another"}};

std::vector<std::string> names_of(const std::vector<Mutant>& mutants) {
  std::vector<std::string> names;
  for (const Mutant& mutant : mutants) names.push_back(mutant.name);
  return names;
}

TEST(Mutants, AreNoticedByOneOfTheWordsOfTheirPromise) {
  EXPECT_TRUE(is_about("3 exist, and 2 were wanted at most", kTwo[0].promise));
  EXPECT_TRUE(is_about("the Node of another was deleted", kTwo[1].promise));
  EXPECT_FALSE(is_about("no convergence", kTwo[1].promise));
}

TEST(Mutants, AreNotNoticedWherePromiseOrBreachIsEmpty) {
  EXPECT_FALSE(is_about("", "were wanted at most"));
  EXPECT_FALSE(is_about("anything", ""));
  EXPECT_FALSE(is_about("anything", "else|"));
}

TEST(Mutants, AreListedOnceEachBesideAPromise) {
  EXPECT_THAT(faults_of(kTwo, std::vector<std::string>{"gate", "owner"}), IsEmpty());
}

TEST(Mutants, ThatTheProgramDoesNotKnowAreReported) {
  EXPECT_THAT(faults_of(kTwo, std::vector<std::string>{"gate"}), ElementsAre("there is no mutant owner"));
}

TEST(Mutants, ThatTheListLacksAreReported) {
  EXPECT_THAT(faults_of(kTwo, std::vector<std::string>{"gate", "owner", "key"}),
              ElementsAre("key is not listed beside the promise that must notice it"));
}

TEST(Mutants, ThatStandTwiceOrNameNoPromiseAreReported) {
  const std::vector<Mutant> listed = {kTwo[0], kTwo[0], {.name = "owner"}};

  EXPECT_THAT(faults_of(listed, std::vector<std::string>{"gate", "owner"}),
              ElementsAre("gate is listed twice", "owner names no promise"));
}

TEST(Mutants, AreChosenByTheirNameOrTheirPromise) {
  EXPECT_THAT(names_of(*chosen(kTwo, "")), ElementsAre("gate", "owner"));
  EXPECT_THAT(names_of(*chosen(kTwo, "namesake")), ElementsAre("owner"));
  EXPECT_THAT(names_of(*chosen(kTwo, "gat")), ElementsAre("gate"));
}

TEST(Mutants, AFilterThatLeavesNoneIsAnError) {
  EXPECT_THAT(chosen(kTwo, "gats").error().message, HasSubstr("gats"));
}

TEST(Mutants, ThatWentUnnoticedAreCounted) {
  const auto only_the_gate = [](const Mutant& mutant) {
    return Verdict{.noticed = mutant.name == "gate", .how = "within one seed"};
  };

  EXPECT_EQ(count_unnoticed(kTwo, only_the_gate), 1);
}

}  // namespace
}  // namespace capstan::mutants
