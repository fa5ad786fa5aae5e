// A rotation from the first turn to the last, on objects in a map: what is trusted and what is served at each
// moment, with two replicas, with other writers in between.
#include <gmock/gmock.h>

#include <map>

#include "net/pki.h"
#include "webhooks/certificates/cluster_fixture.h"

namespace capstan::webhooks::certificates {
namespace {

using std::chrono::seconds;
using testing::AllOf;
using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

using Rotation = Certificates;

TEST_F(Rotation, TheFirstCertificateIsServedOnceEveryBundleHasHadItsAuthorityForTheSettleTime) {
  EXPECT_THAT(turns(memory), ElementsAre(Step::PrepareNext, Step::MarkDistributed));
  EXPECT_THAT(bundles(), AllOf(SizeIs(13), Each(in_secret(key::kNextAuthority))));
  EXPECT_EQ(in_secret(key::kServing), "");

  clock.advance(times.settle - seconds(1));
  EXPECT_THAT(turns(memory), IsEmpty());
  clock.advance(seconds(1));
  EXPECT_THAT(turns(memory), ElementsAre(Step::ServeNext));

  EXPECT_THAT(bundles(), Each(in_secret(key::kAuthority)));
  EXPECT_TRUE(net::check_issued_by(in_secret(key::kServing), in_secret(key::kAuthority)));
  EXPECT_EQ(in_secret(key::kNextServing), "");
}

TEST_F(Rotation, AnAnnotationAsksForOneThatTrustsBothAuthoritiesUntilEveryReplicaServesTheNewCertificate) {
  rotate(memory);
  const std::string old_authority = in_secret(key::kAuthority);
  const std::string old_serving = in_secret(key::kServing);

  annotate_secret(annotation::kRotate, "now");
  EXPECT_THAT(turns(memory), ElementsAre(Step::PrepareNext, Step::MarkDistributed));
  const std::string new_authority = in_secret(key::kNextAuthority);
  EXPECT_THAT(bundles(), Each(old_authority + new_authority));
  EXPECT_EQ(in_secret(key::kServing), old_serving);

  clock.advance(times.settle);
  EXPECT_THAT(turns(memory), ElementsAre(Step::ServeNext));
  EXPECT_THAT(bundles(), Each(new_authority + old_authority));
  EXPECT_NE(in_secret(key::kServing), old_serving);

  clock.advance(times.served());
  EXPECT_THAT(turns(memory), ElementsAre(Step::DropRetired));
  EXPECT_THAT(bundles(), Each(new_authority));
  EXPECT_THAT(turns(memory), IsEmpty());
}

TEST_F(Rotation, BeginsWhenTheSecretIsDeletedAndKeepsTheAuthorityThatBundlesName) {
  rotate(memory);
  const std::string old_authority = in_secret(key::kAuthority);

  cluster.objects.erase(std::string(kSecret));
  EXPECT_THAT(turns(memory), ElementsAre(Step::PrepareNext, Step::MarkDistributed));

  EXPECT_THAT(bundles(), Each(in_secret(key::kNextAuthority) + old_authority));
  rotate(memory);
  EXPECT_THAT(bundles(), Each(AllOf(in_secret(key::kAuthority), Not(HasSubstr(old_authority)))));
}

TEST_F(Rotation, LeavesOutWhatIsNoCertificateOfABundleThatItFinds) {
  cluster.put(std::string(kMachines), a_definition(service_config("\n")));

  rotate(memory);

  EXPECT_THAT(bundles(), Each(in_secret(key::kAuthority)));
}

TEST_F(Rotation, TakesTheAnnotationOfCertManagerOff) {
  rotate(memory);
  json::value definition = cluster.objects.at(std::string(kMachines));
  definition.at_pointer("/metadata/annotations").as_object()[annotation::kInjectedFrom] = "capi-system/cert";
  cluster.put(std::string(kMachines), definition);
  memory.targets.reset();  // as a watch event does

  turns(memory);

  EXPECT_EQ(cluster.objects.at(std::string(kMachines)).at_pointer("/metadata/annotations"), json::object());
}

TEST_F(Rotation, PutsABundleBackThatAnotherWriterReset) {
  rotate(memory);
  cluster.put(std::string(kMachines), a_definition(service_config()));
  cluster.put(std::string(kMutating), a_configuration({service_config(), service_config("\n")}));
  memory.targets.reset();  // as a watch event does

  EXPECT_THAT(turn(memory).outdated, SizeIs(2));

  EXPECT_THAT(bundles(), Each(in_secret(key::kAuthority)));
}

TEST_F(Rotation, ABundleThatIsResetWhileItSettlesMakesTheSettleTimeBeginAgain) {
  turns(memory);
  clock.advance(times.settle - seconds(1));
  cluster.put(std::string(kMachines), a_definition(service_config()));

  EXPECT_THAT(turns(memory), ElementsAre(Step::Redistribute, Step::MarkDistributed));
  clock.advance(times.settle - seconds(1));
  EXPECT_THAT(turns(memory), IsEmpty());
  clock.advance(seconds(1));
  EXPECT_THAT(turns(memory), ElementsAre(Step::ServeNext));
}

TEST_F(Rotation, LeavesClientConfigsOfOthersAlone) {
  const json::value other{{"service", {{"name", "other"}, {"namespace", "capi-system"}}},
                          {"caBundle", "QQ=="}};
  cluster.put(std::string(kMutating), a_configuration({service_config(), other}));

  rotate(memory);

  EXPECT_EQ(cluster.objects.at(std::string(kMutating)).at_pointer("/webhooks/1/clientConfig"), other);
}

TEST_F(Rotation, NeedsNoneOfTheObjectsToBeThere) {
  cluster.objects.clear();

  rotate(memory);

  EXPECT_TRUE(net::check_issued_by(in_secret(key::kServing), in_secret(key::kAuthority)));
}

TEST_F(Rotation, TheBundlesAreNotReadAgainWhileNothingHappens) {
  rotate(memory);
  turns(memory);
  const int before = cluster.gets["CustomResourceDefinition"];

  for (int i = 0; i < 10; ++i) {
    clock.advance(times.poll());
    turns(memory);
  }

  EXPECT_EQ(cluster.gets["CustomResourceDefinition"], before);
}

// Every interleaving of writes ends in Conflict for the one who read first.
TEST_F(Rotation, OfTwoReplicasThatMakeTheSecretOneIsToldToLookAgain) {
  Memory other;
  cluster.before_write = [&] { turn(other); };

  turn(memory);

  ASSERT_FALSE(acted);
  EXPECT_EQ(acted.error().code, Code::Conflict);
}

TEST_F(Rotation, AReplicaThatReadABundleBeforeTheOtherOneWroteItDoesNotUndoThat) {
  rotate(memory);
  Memory slow;
  cluster.put(std::string(kMachines), a_definition(service_config()));  // reset: both want to mend it
  cluster.before_write = [&] {
    annotate_secret(annotation::kRotate, "now");
    memory.targets.reset();
    turns(memory);
  };

  turn(slow);

  EXPECT_EQ(acted.error().code, Code::Conflict);
  EXPECT_THAT(bundles(), Each(HasSubstr(in_secret(key::kNextAuthority))));
}

// A call is believed when an authority of the bundle has signed the certificate.
class Belief {
 public:
  bool has(const std::string& bundle, const std::string& serving) {
    const auto [known, added] = known_.try_emplace({bundle, serving}, false);
    if (added)
      known->second = std::ranges::any_of(certificates_in(bundle), [&](const std::string& authority) {
        return net::check_issued_by(serving, authority).has_value();
      });
    return known->second;
  }

 private:
  std::map<std::pair<std::string, std::string>, bool> known_;
};

// What stood there so many seconds ago, or at the beginning.
template <typename T>
const T& past(const std::vector<T>& seconds_of, std::size_t ago) {
  return seconds_of.at(seconds_of.size() - 1 - std::min(ago, seconds_of.size() - 1));
}

// Each API server reads a bundle as late as the settle time, each replica the Secret as late as twice that.
TEST_F(Rotation, NoMomentOfItHasACallThatAnApiServerWouldNotBelieve) {
  rotate(memory);
  annotate_secret(annotation::kRotate, "now");
  Memory second_replica;
  Belief belief;
  std::vector<std::vector<std::string>> trusted;
  std::vector<std::string> serving;
  const auto settle = static_cast<std::size_t>(times.settle / seconds(1));

  for (int now = 0; now < 150; ++now) {
    turns(now % 2 == 0 ? memory : second_replica);
    trusted.push_back(bundles());
    serving.push_back(in_secret(key::kServing));
    for (const std::size_t server_behind : {std::size_t{0}, settle - 1})
      for (const std::size_t replica_behind : {std::size_t{0}, 2 * settle - 1})
        for (const std::string& bundle : past(trusted, server_behind))
          ASSERT_TRUE(belief.has(bundle, past(serving, replica_behind))) << "at second " << now;
    clock.advance(seconds(1));
  }

  EXPECT_NE(serving.front(), serving.back());
  EXPECT_THAT(bundles(), Each(in_secret(key::kAuthority)));
}

// What a Secret may hold that its own manager did not write.
struct Damage {
  const char* name;
  json::object data;
  const char* why;  // of the step that mends it
  Step step;
};
class DamagedSecret : public Certificates, public testing::WithParamInterface<Damage> {};

TEST_P(DamagedSecret, IsMendedAndSaysWhatWasWrong) {
  rotate(memory);
  change_secret(GetParam().data);

  const Plan plan = turn(memory);
  rotate(memory);

  EXPECT_EQ(plan.step, GetParam().step);
  EXPECT_THAT(plan.why, HasSubstr(GetParam().why));
  EXPECT_THAT(bundles(), Each(in_secret(key::kAuthority)));
  EXPECT_TRUE(net::check_issued_by(in_secret(key::kServing), in_secret(key::kAuthority)));
  EXPECT_THAT(turns(memory), IsEmpty());
}

json::string text(const std::string& pem) { return json::string(base64_encode(pem)); }

net::KeyAndCertificate foreign(std::chrono::days until, std::vector<std::string> dns) {
  const WallTime now = fakes::FakeClock().now();
  const auto ca = net::new_ca("other", now - std::chrono::days(30), now + std::chrono::days(30));
  return net::issue(*ca, {.dns_names = std::move(dns),
                          .server = true,
                          .not_before = now - std::chrono::days(30),
                          .not_after = now + until})
      .value();
}

json::object served(const net::KeyAndCertificate& pair) {
  return {{key::kServing, text(pair.certificate_pem)},
          {key::kServingKey, text(pair.private_key_pem.reveal())}};
}

INSTANTIATE_TEST_SUITE_P(
    All, DamagedSecret,
    testing::Values(
        Damage{"NoCertificate",
               {{key::kServing, nullptr}},
               "tls.crt or its key is missing",
               Step::ReissueServing},
        Damage{"NoKey", {{key::kServingKey, nullptr}}, "tls.crt or its key is missing", Step::ReissueServing},
        Damage{"NoPem", {{key::kServing, text("x")}}, "tls.crt is no certificate", Step::ReissueServing},
        Damage{"SwappedHalfWay",
               {{key::kServing, text(foreign(std::chrono::days(30), {"a"}).certificate_pem)}},
               "tls.crt does not belong to its key",
               Step::ReissueServing},
        Damage{"OfAnotherAuthority", served(foreign(std::chrono::days(30), {"a"})),
               "tls.crt is not signed by ca.crt", Step::ReissueServing},
        Damage{"Expired", served(foreign(std::chrono::days(-1), {"a"})),
               "tls.crt has expired at 2025-12-31T00:00:00Z", Step::ReissueServing},
        Damage{
            "NoAuthority", {{key::kAuthority, nullptr}}, "ca.crt or its key is missing", Step::PrepareNext},
        Damage{"NoKeyOfTheAuthority",
               {{key::kAuthorityKey, nullptr}},
               "ca.crt or its key is missing",
               Step::PrepareNext},
        Damage{"Empty",
               {{key::kAuthority, nullptr},
                {key::kAuthorityKey, nullptr},
                {key::kServing, nullptr},
                {key::kServingKey, nullptr}},
               "the Secret holds none",
               Step::PrepareNext},
        Damage{"HalfOfANextOne",
               {{key::kNextServing, text("x")}},
               "next-ca.crt or its key is missing",
               Step::PrepareNext}),
    [](const auto& each) { return std::string(each.param.name); });

TEST_F(Rotation, ACertificateForOtherNamesIsMadeAgainByTheSameAuthority) {
  rotate(memory);
  const std::string authority = in_secret(key::kAuthority);
  reached.hosts = {"127.0.0.1", "manager.example"};
  names = served_names(reached);

  const Plan plan = turn(memory);

  EXPECT_EQ(plan.step, Step::ReissueServing);
  EXPECT_EQ(plan.why, "tls.crt is not for manager.example, 127.0.0.1");
  EXPECT_EQ(in_secret(key::kAuthority), authority);
  const auto facts = net::read_certificate(in_secret(key::kServing));
  EXPECT_THAT(facts->dns_names,
              ElementsAre("capi-webhook-service.capi-system.svc",
                          "capi-webhook-service.capi-system.svc.cluster.local", "manager.example"));
  EXPECT_THAT(facts->ip_addresses, ElementsAre("127.0.0.1"));
}

TEST_F(Rotation, BothAreMadeAgainLongBeforeTheyEnd) {
  rotate(memory);
  std::vector<Step> steps;
  const WallTime end = net::read_certificate(in_secret(key::kAuthority))->not_after;

  while (clock.now() < end) {
    clock.advance(std::chrono::days(5));
    for (const Step step : turns(memory)) steps.push_back(step);
    ASSERT_GT(net::read_certificate(in_secret(key::kServing))->not_after - clock.now(),
              std::chrono::days(24));
    ASSERT_GT(net::read_certificate(in_secret(key::kAuthority))->not_after - clock.now(),
              std::chrono::days(114));
  }

  EXPECT_EQ(std::ranges::count(steps, Step::PrepareNext), 1);
  EXPECT_EQ(std::ranges::count(steps, Step::ReissueServing),
            4);  // a quarter of them comes with the authority
}

}  // namespace
}  // namespace capstan::webhooks::certificates
