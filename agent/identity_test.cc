#include "agent/identity.h"

#include <gmock/gmock.h>

namespace capstan::agent {
namespace {

using std::chrono::days;
using std::chrono::hours;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
constexpr WallTime kNow = std::chrono::sys_days(std::chrono::year(2026) / 1 / 1);

Validity of_ten_days(WallTime received) {
  return {.not_before = kNow, .not_after = kNow + days(10), .received = received};
}

TEST(Identity, NamesMachineAndNodeConfig) {
  const api::AgentFacts facts = {
      .namespace_ = "default"_text, .machine = "m1"_text, .node_config = "workers"_text};

  const auto subject = subject_of(facts, "host-7");

  EXPECT_EQ(subject.common_name, "capstan.dev:agent:default:m1");
  EXPECT_THAT(subject.organizations, ElementsAre("capstan.dev:node-config:default:workers"));
}

TEST(Identity, OfAnInstanceOfAPoolIsThatOfItsHost) {
  const api::AgentFacts facts = {.namespace_ = "default"_text, .machine = "pool"_text, .pool = true};

  EXPECT_EQ(subject_of(facts, "host-7").common_name, "capstan.dev:agent:default:host-7");
}

// It could not renew its certificate: no Node had the name that it gave.
TEST(Identity, OfAnInstanceIsInSmallLettersAsItsNode) {
  const api::AgentFacts facts = {.namespace_ = "default"_text, .machine = "pool"_text, .pool = true};

  EXPECT_EQ(subject_of(facts, "Host-7.Example").common_name, "capstan.dev:agent:default:host-7.example");
}

TEST(Standing, IsDueAfterFourFifthsOfItsLife) {
  EXPECT_EQ(standing(of_ten_days(kNow), kNow + days(8) - hours(1)), Standing::Good);
  EXPECT_EQ(standing(of_ten_days(kNow), kNow + days(8)), Standing::Due);
  EXPECT_EQ(standing(of_ten_days(kNow), kNow + days(10)), Standing::Past);
}

TEST(Standing, AClockThatIsAnHourOffRenewsNeitherAtOnceNorTooLate) {
  const Validity short_lived = {.not_before = kNow, .not_after = kNow + hours(1)};
  for (const auto off : {hours(-1), hours(1)}) {
    Validity certificate = short_lived;
    certificate.received = kNow + off;

    EXPECT_EQ(standing(certificate, kNow + off + std::chrono::minutes(47)), Standing::Good) << off.count();
    EXPECT_EQ(standing(certificate, kNow + off + std::chrono::minutes(48)), Standing::Due) << off.count();
  }
}

TEST(Standing, WithoutATimeOfItsComingCountsFromItsBeginning) {
  EXPECT_EQ(standing(of_ten_days({}), kNow + days(8)), Standing::Due);
  EXPECT_EQ(standing(of_ten_days(kNow + days(9)), kNow + days(8)), Standing::Due) << "the clock was set back";
}

TEST(Askers, TheFirstCertificateIsAskedForWithTheToken) {
  EXPECT_THAT(askers(Standing::Missing, true, false), ElementsAre(Credential::Token));
}

TEST(Askers, TheNextOneWithItsOwnAndAfterALongSleepWithTheKubelets) {
  EXPECT_THAT(askers(Standing::Good, false, true), IsEmpty());
  EXPECT_THAT(askers(Standing::Due, false, true), ElementsAre(Credential::Own, Credential::Kubelet));
  EXPECT_THAT(askers(Standing::Past, false, true), ElementsAre(Credential::Kubelet));
  EXPECT_THAT(askers(Standing::Past, false, false), IsEmpty());
}

TEST(NodeName, IsThatOfTheKubeletsCertificate) {
  EXPECT_EQ(node_name("system:node:n1"), "n1");
  EXPECT_EQ(node_name("admin"), "");
}

}  // namespace
}  // namespace capstan::agent
