#include "test/joining/promises.h"

#include <gmock/gmock.h>

#include "test/joining/known_mutants.h"
#include "test/mutants/mutants.h"

namespace capstan::joining {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

TEST(JoiningPromises, AMachineHasOneTokenButForOneThatComesLate) {
  EXPECT_EQ(several_tokens("m1", 1, std::chrono::hours(1)), "");
  EXPECT_EQ(several_tokens("m1", 2, minutes(11)), "");
  EXPECT_EQ(several_tokens("m1", 2, minutes(13)), "Machine m1 has had 2 live tokens for 780 s");
}

TEST(JoiningPromises, ATokenIsGoneAMinuteAfterTheJoin) {
  EXPECT_EQ(token_outlives("m1", "abcdef", seconds(60)), "");
  EXPECT_EQ(token_outlives("m1", "abcdef", seconds(61)),
            "token abcdef lives 61 s after Machine m1 has joined or gone");
}

TEST(JoiningPromises, ATokenLastsUntilTheJoin) {
  EXPECT_EQ(token_lost("m1", "abcdef", true), "");
  EXPECT_EQ(token_lost("m1", "abcdef", false),
            "token abcdef ended, and Machine m1 has booted with it and has no Node yet");
}

TEST(JoiningPromises, ACertificateIsApprovedForItsOwnMachine) {
  EXPECT_EQ(approved_for_another("m1", "m1"), "");
  EXPECT_EQ(approved_for_another("m1", "m2"), "a certificate of machine m2 was approved for machine m1");
}

TEST(JoiningPromises, ATokenGivesNoCertificateAfterTheJoin) {
  EXPECT_EQ(approved_after_join("m1", seconds(10)), "");
  EXPECT_EQ(approved_after_join("m1", seconds(11)),
            "a certificate by token was approved for m1, asked for 11 s after it had its Node");
}

TEST(JoiningPromises, AnInstanceGetsOneCertificateByToken) {
  EXPECT_EQ(approved_again("pool1-1", std::chrono::hours(1)), "") << "nothing shows the first one any more";
  EXPECT_EQ(approved_again("pool1-1", seconds(5)),
            "instance pool1-1 got a second certificate by token 5 s after the first");
}

TEST(JoiningPromises, ThePoolsTokenIsRotatedOnceADay) {
  EXPECT_EQ(not_rotated("pool1", "aaaaaa", "bbbbbb", 1), "");
  EXPECT_EQ(not_rotated("pool1", "aaaaaa", "aaaaaa", 0),
            "the data of pool1 names token aaaaaa for more than a day");
  EXPECT_EQ(not_rotated("pool1", "aaaaaa", "bbbbbb", 2), "pool1 got 2 tokens in a day");
}

TEST(JoiningPromises, AnAgentIsGivenItsOwnSecret) {
  EXPECT_EQ(read_anothers("m1", "s1", "s1"), "");
  EXPECT_EQ(read_anothers("m1", "s1", "s2"), "machine m1 was given Secret s2 of others");
}

TEST(JoiningPromises, AUnitIsRestartedForAReason) {
  EXPECT_EQ(restarted_without_change("a.service", {.changes = 1}), "");
  EXPECT_EQ(restarted_without_change("a.service", {.asked = 1}), "");
  EXPECT_EQ(restarted_without_change("a.service", {.interrupted = true}), "");
  EXPECT_EQ(restarted_without_change("a.service", {}), "a.service was restarted without a change");
}

TEST(JoiningPromises, ARestartIsForWhatCameBeforeIt) {
  EXPECT_EQ(after_restart({.changes = 2}), UnitSeen());
  EXPECT_EQ(after_restart({.asked = 1}), UnitSeen());
  EXPECT_EQ(after_restart({.changes = 1, .asked = 1}), UnitSeen{.asked = 1}) << "the user's may still come";
  EXPECT_EQ(after_restart({.asked = 1, .interrupted = true}), UnitSeen{.asked = 1});
}

TEST(JoiningPromises, AChangeIsFollowedByARestart) {
  EXPECT_EQ(restart_missed("a.service", {}), "");
  EXPECT_EQ(restart_missed("a.service", {.changes = 1}), "a.service was not restarted after the last change");
}

TEST(JoiningPromises, AFileHoldsWhatSomeConfigurationHasSaid) {
  EXPECT_EQ(half_written("/etc/a", "one", {"one", "two"}), "");
  EXPECT_EQ(half_written("/etc/a", "tw", {"one", "two"}),
            "/etc/a holds what no configuration has said: \"tw\"");
}

TEST(JoiningMutants, AreAllSafeguardsAndEachNamesAPromise) {
  std::vector<mutants::Mutant> listed;
  for (const JoiningMutant& each : kJoiningMutants)
    listed.push_back({.name = std::string(to_string(each.safeguard)), .promise = std::string(each.promise)});
  std::vector<std::string> known;
  for (const Safeguard safeguard : kJoiningSafeguards) known.emplace_back(to_string(safeguard));

  EXPECT_THAT(mutants::faults_of(listed, known), testing::IsEmpty());
}

}  // namespace
}  // namespace capstan::joining
