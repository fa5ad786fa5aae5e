#include "runtime/election_scope.h"

#include <gmock/gmock.h>

#include "api/names.h"
#include "api/v1beta2/syntax.h"

namespace capstan::runtime {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kBase = "controller-leader-election-capi";

api::Lease held_by(std::string_view holder, std::optional<ElectionScope> scope = {},
                   std::string_view noted_by = {}) {
  api::Lease lease;
  lease.metadata.namespace_ = Text("capi-system");
  lease.metadata.name = Text(kBase);
  lease.spec.holder_identity = Text(holder);
  if (scope)
    lease.metadata.annotations.set(api::annotation::kElectionScope,
                                   scope_note(*scope, noted_by.empty() ? holder : noted_by, "1.2.3"));
  return lease;
}

const ElectionScope kAll;
const ElectionScope kBlue{.watch_filter = "blue"};
const ElectionScope kRed{.watch_filter = "red"};
const ElectionScope kTeamA{.namespace_ = "team-a"};
const ElectionScope kTeamB{.namespace_ = "team-b"};

TEST(LeaseName, IsUpstreamsWithoutAFilterAndHasTheFilterBehindItOtherwise) {
  EXPECT_EQ(lease_name(kBase, ""), "controller-leader-election-capi");
  EXPECT_EQ(lease_name(kBase, "blue"), "controller-leader-election-capi-blue");
  EXPECT_EQ(lease_name(kBase, "blue.team-1"), "controller-leader-election-capi-blue.team-1");
}

TEST(LeaseName, OfAFilterThatIsNoNameIsLowerCasedAndHashed) {
  for (const std::string_view filter : {"Blue", "BLUE", "blue_green", "blue-", "blue.", "a..b", "a/b"}) {
    const std::string name = lease_name(kBase, filter);
    EXPECT_THAT(api::dns_subdomain_faults(name), IsEmpty()) << name;
    EXPECT_NE(name, lease_name(kBase, "blue")) << filter;
  }
  EXPECT_EQ(lease_name(kBase, "Blue"), "controller-leader-election-capi-blue-e9dd1fed");
  EXPECT_NE(lease_name(kBase, "Blue"), lease_name(kBase, "BLUE"));
  EXPECT_THAT(api::dns_subdomain_faults(lease_name(kBase, std::string(400, 'x'))), IsEmpty());
}

struct Pair {
  std::string_view about;
  ElectionScope ours;
  std::optional<ElectionScope> theirs;  // nothing: noted nothing, as upstream
  bool beside_upstream = false;
  bool allowed = false;
};

class BesideAnotherHolder : public ::testing::TestWithParam<Pair> {};

TEST_P(BesideAnotherHolder, IsAllowedOnlyWhereNoObjectIsReconciledTwice) {
  const Pair& pair = GetParam();

  const auto verdict = may_act_beside({.own = pair.ours, .beside_upstream = pair.beside_upstream},
                                      held_by("pod-1", pair.theirs));

  EXPECT_EQ(verdict.has_value(), pair.allowed) << pair.about;
}

INSTANTIATE_TEST_SUITE_P(
    Pairs, BesideAnotherHolder,
    ::testing::Values(Pair{"a shard beside an unfiltered Capstan", kBlue, kAll},
                      Pair{"which --beside-upstream does not allow either", kBlue, kAll, true},
                      Pair{"a shard beside another one", kBlue, kRed, false, true},
                      Pair{"a shard beside its own filter under another Lease", kBlue, kBlue},
                      Pair{"a shard beside one namespace", kBlue, kTeamA},
                      Pair{"two namespaces", kTeamA, kTeamB, false, true},
                      Pair{"a filter in one namespace beside the other namespace",
                           ElectionScope{.namespace_ = "team-a", .watch_filter = "blue"}, kTeamB, false,
                           true},
                      Pair{"everything under a Lease of another name", kAll, kBlue},
                      Pair{"a shard beside upstream", kBlue, std::nullopt},
                      Pair{"a shard beside upstream, as asked for", kBlue, std::nullopt, true, true}));

TEST(BesideAnotherHolder, IsAllowedOnceItGaveTheLeaseBack) {
  EXPECT_TRUE(may_act_beside({.own = kBlue}, held_by("", kAll)));
}

TEST(BesideAnotherHolder, TheRefusalNamesLeaseHolderAndRemedy) {
  const auto capstan = may_act_beside({.own = kBlue}, held_by("pod-1_7", kAll));
  const auto upstream = may_act_beside({.own = kBlue}, held_by("pod-2_8"));

  ASSERT_FALSE(capstan);
  EXPECT_EQ(capstan.error().code, Code::Conflict);
  EXPECT_EQ(
      capstan.error().message,
      "Lease capi-system/controller-leader-election-capi is held by pod-1_7, a Capstan that reconciles all "
      "objects; ours are watch filter blue, and both would reconcile the same objects. Stop it, or give it "
      "a --watch-filter or --namespace of its own");
  ASSERT_FALSE(upstream);
  EXPECT_THAT(upstream.error().message,
              AllOf(StartsWith("Lease capi-system/controller-leader-election-capi is held by pod-2_8, which "
                               "noted no scope"),
                    HasSubstr("--beside-upstream")));
}

// Upstream's client library keeps the annotations of a Lease that it takes over.
TEST(ScopeNote, OfAnEarlierHolderSaysNothingOfThePresentOne) {
  const auto lease = held_by("upstream_1", kRed, "capstan_1");

  EXPECT_EQ(noted_scope(lease), std::nullopt);
  EXPECT_FALSE(may_act_beside({.own = kBlue}, lease));
}

TEST(ScopeNote, IsReadAsItWasWrittenAndOtherTextIsNone) {
  auto broken = held_by("pod-1");
  broken.metadata.annotations.set(api::annotation::kElectionScope, "{");

  EXPECT_EQ(noted_scope(held_by("pod-1", kTeamA)), kTeamA);
  EXPECT_EQ(noted_scope(broken), std::nullopt);
}

TEST(ScopeNote, TellsAStandbyWhetherAnotherVersionLeads) {
  const auto lease = held_by("pod-1", kAll);

  EXPECT_EQ(noted_version(lease), "1.2.3");
  EXPECT_EQ(why_waiting(lease, "1.2.3"), "waiting for the lease");
  EXPECT_EQ(why_waiting(lease, "1.2.4"), "waiting for the lease, which another version holds");
  for (const auto& silent : {held_by("pod-1"), held_by("upstream_1", kAll, "pod-1")})
    EXPECT_THAT(why_waiting(silent, "1.2.3"), HasSubstr("noted no version: upstream's core"));
}

}  // namespace
}  // namespace capstan::runtime
