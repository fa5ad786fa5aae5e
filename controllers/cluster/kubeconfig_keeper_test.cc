#include "controllers/cluster/kubeconfig_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "controllers/shared/server_fixture.h"
#include "kubeconfig/issue.h"
#include "kubeconfig/secret.h"
#include "net/pki.h"
#include "test/builders/cluster.h"
#include "test/fakes/recording_client.h"

namespace capstan::controllers::cluster {
namespace {

using builders::a_cluster;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;
using namespace std::chrono_literals;

const kube::Resource& kSecrets = kube::resources::secrets();
constexpr bool kConnected = true;
constexpr bool kNotConnected = false;

json::value a_secret(std::string_view name, json::object content) {
  return {{"apiVersion", "v1"},
          {"kind", "Secret"},
          {"metadata", {{"name", name}, {"namespace", builders::kNamespace}}},
          {"data", std::move(content)}};
}

// A Cluster whose control plane is run by hand, its CA, and a keeper that is called when the test says so.
class KubeconfigKeeperFixture : public FixtureServer {
 public:
  explicit KubeconfigKeeperFixture(fakes::Baton& with) : FixtureServer(with) {
    make(kube::resource_of<api::Cluster>(),
         api::to_json(a_cluster("c1").without_control_plane_ref().endpoint("10.0.0.1", 6443).build()));
    make(kSecrets, a_secret("c1-ca", {{"tls.crt", base64_encode(ca_.certificate_pem)},
                                      {"tls.key", base64_encode(ca_.private_key_pem.reveal())}}));
  }

  // The Secret as the keeper made it when its certificate had still so long to live.
  void put_kubeconfig(Nanoseconds left) {
    const auto issued = kubeconfig::issue_admin(*api::read_secret(read(kSecrets, "c1-ca")),
                                                {.cluster_name = "c1",
                                                 .host = "10.0.0.1",
                                                 .port = 6443,
                                                 .now = baton.now() + left - kubeconfig::kAdminValidity});
    make(kSecrets, kubeconfig::secret_object(key("c1"), owner(), *kubeconfig::render(*issued)));
  }
  // As where its user put a load balancer's certificate authority there.
  void put_kubeconfig_that_trusts_another_ca(Nanoseconds left) {
    auto issued = *kubeconfig::issue_admin(*api::read_secret(read(kSecrets, "c1-ca")),
                                           {.cluster_name = "c1",
                                            .host = "10.0.0.1",
                                            .port = 6443,
                                            .now = baton.now() + left - kubeconfig::kAdminValidity});
    issued.clusters.front().ca_pem = an_authority().certificate_pem;
    make(kSecrets, kubeconfig::secret_object(key("c1"), owner(), *kubeconfig::render(issued)));
  }
  void put_unreadable_kubeconfig() {
    make(kSecrets, kubeconfig::secret_object(key("c1"), owner(), Secret<std::string>("a: [")));
  }
  // As where the CA is kept outside of the management cluster.
  void take_the_key_from_the_ca() { patch(kSecrets, "c1-ca", {{"data", {{"tls.key", nullptr}}}}); }
  void give_the_ca_its_key() {
    patch(kSecrets, "c1-ca", {{"data", {{"tls.key", base64_encode(ca_.private_key_pem.reveal())}}}});
  }

  // As where a Secret of that name was restored from another cluster.
  void put_another_ca() {
    const auto other = an_authority();
    patch(kSecrets, "c1-ca",
          {{"data",
            {{"tls.crt", base64_encode(other.certificate_pem)},
             {"tls.key", base64_encode(other.private_key_pem.reveal())}}}});
  }
  std::string kubeconfig_now() {
    return std::string(read(kSecrets, "c1-kubeconfig").at("data").at("value").as_string());
  }

  KubeconfigKeeper::Kept keep(bool connected) {
    auto kept = keeper_.keep(read<api::Cluster>("c1"), connected, Deadline::never());
    EXPECT_TRUE(kept) << kept.error().describe();
    return kept.value_or(KubeconfigKeeper::Kept{});
  }
  std::vector<std::string> requests() { return client.take(); }

  fakes::MemoryClient memory{api, baton, {.user_agent = "manager/1"}};
  fakes::RecordingClient client{memory};

 private:
  kubeconfig::Owner owner() {
    return {.api_version = std::string(api::kApiVersion),
            .kind = std::string(api::kind::kCluster),
            .name = "c1",
            .uid = read<api::Cluster>("c1").metadata.uid.str()};
  }
  net::KeyAndCertificate an_authority() const {
    return *net::new_ca("kubernetes", baton.now() - 1h, baton.now() + std::chrono::days(3650));
  }

  KubeconfigKeeper keeper_{baton, client};
  net::KeyAndCertificate ca_ = an_authority();
};

std::string warning(const KubeconfigKeeper::Kept& kept) {
  return kept.warning ? std::string(api::reason_of(kept.warning->code)) + ": " + kept.warning->text : "";
}

void in_world(const std::function<void(KubeconfigKeeperFixture&)>& body) {
  under_seeds([&](fakes::Baton& baton) {
    KubeconfigKeeperFixture world(baton);
    body(world);
  });
}

TEST(KubeconfigKeeper, LooksOnceAnHourAtWhatWorksAndSetsNoTimerForIt) {
  in_world([](KubeconfigKeeperFixture& world) {
    EXPECT_EQ(world.keep(kConnected).look_again, std::nullopt);
    (void)world.requests();

    for (int resync = 0; resync < 5; ++resync) {
      world.settle(10min);
      EXPECT_EQ(world.keep(kConnected).look_again, std::nullopt);
    }
    EXPECT_THAT(world.requests(), IsEmpty());

    world.settle(10min);
    EXPECT_EQ(world.keep(kConnected).look_again, std::nullopt);
    EXPECT_THAT(world.requests(), ElementsAre("get secrets c1-kubeconfig"));
  });
}

TEST(KubeconfigKeeper, MakesASecretAgainThatWasDeletedToHaveItReissued) {
  in_world([](KubeconfigKeeperFixture& world) {
    EXPECT_TRUE(world.keep(kConnected).made);
    world.remove(kSecrets, "c1-kubeconfig");

    world.settle(60min);

    EXPECT_TRUE(world.keep(kConnected).made);
    EXPECT_TRUE(world.exists(kSecrets, "c1-kubeconfig"));
  });
}

TEST(KubeconfigKeeper, MakesASecretAgainSoonerWhileTheClusterIsOutOfReach) {
  in_world([](KubeconfigKeeperFixture& world) {
    EXPECT_TRUE(world.keep(kConnected).made);
    world.remove(kSecrets, "c1-kubeconfig");

    world.settle(30s);

    EXPECT_TRUE(world.keep(kNotConnected).made);
  });
}

TEST(KubeconfigKeeper, StepsInWhereSomebodyElsesSecretWasDeleted) {
  in_world([](KubeconfigKeeperFixture& world) {
    world.make(kSecrets, a_secret("c1-kubeconfig", {{"value", base64_encode("theirs")}}));
    EXPECT_FALSE(world.keep(kConnected).made);
    world.remove(kSecrets, "c1-kubeconfig");

    world.settle(60min);

    EXPECT_TRUE(world.keep(kConnected).made);
  });
}

TEST(KubeconfigKeeper, SaysOnceWhatACertificateCanNotBeRenewedWithout) {
  in_world([](KubeconfigKeeperFixture& world) {
    world.put_kubeconfig(std::chrono::days(100));
    world.take_the_key_from_the_ca();

    const auto first = world.keep(kConnected);
    world.settle(60min);
    const auto later = world.keep(kConnected);

    EXPECT_EQ(warning(first),
              "KubeconfigNotRenewed: the client certificate in Secret c1-kubeconfig ends "
              "2026-04-11T00:00:00Z and can't be renewed: secret default/c1-ca has no key \"tls.key\"; put "
              "the CA's tls.crt and tls.key into Secret c1-ca, or renew the certificate yourself");
    EXPECT_EQ(first.look_again, std::nullopt) << "there is time";
    EXPECT_EQ(warning(later), "");
  });
}

TEST(KubeconfigKeeper, RenewsOnceTheCaHasItsKey) {
  in_world([](KubeconfigKeeperFixture& world) {
    world.put_kubeconfig(std::chrono::days(100));
    world.take_the_key_from_the_ca();
    EXPECT_FALSE(world.keep(kConnected).made);

    world.give_the_ca_its_key();
    world.settle(60min);

    EXPECT_TRUE(world.keep(kConnected).made);
  });
}

TEST(KubeconfigKeeper, KeepsAKubeconfigThatWorksWhereTheCaIsAnotherOneByNow) {
  in_world([](KubeconfigKeeperFixture& world) {
    world.put_kubeconfig(std::chrono::days(100));
    world.put_another_ca();
    const std::string before = world.kubeconfig_now();

    const auto kept = world.keep(kConnected);

    EXPECT_EQ(world.kubeconfig_now(), before);
    EXPECT_EQ(
        warning(kept),
        "KubeconfigNotRenewed: the client certificate in Secret c1-kubeconfig ends 2026-04-11T00:00:00Z and "
        "can't be renewed: the CA in Secret c1-ca has not signed it; put the CA that is in use into Secret "
        "c1-ca, or "
        "delete Secret c1-kubeconfig to have it made with the present one, or renew the certificate "
        "yourself");
    EXPECT_EQ(kept.look_again, std::nullopt) << "there is time";
  });
}

TEST(KubeconfigKeeper, KeepsAKubeconfigThatTrustsAnotherCaThanTheSecretHolds) {
  in_world([](KubeconfigKeeperFixture& world) {
    world.put_kubeconfig_that_trusts_another_ca(std::chrono::days(100));
    const std::string before = world.kubeconfig_now();

    const auto kept = world.keep(kConnected);

    EXPECT_EQ(world.kubeconfig_now(), before);
    EXPECT_THAT(warning(kept),
                HasSubstr("its certificate-authority-data does not name the CA in Secret c1-ca"));
  });
}

TEST(KubeconfigKeeper, ReplacesACertificateThatHasEndedWhateverTheCa) {
  in_world([](KubeconfigKeeperFixture& world) {
    world.put_kubeconfig(-30min);
    world.put_another_ca();

    EXPECT_TRUE(world.keep(kNotConnected).made) << "there is nothing to lose";
  });
}

TEST(KubeconfigKeeper, SaysAgainThatACertificateWasNotRenewedOnceItHasEnded) {
  in_world([](KubeconfigKeeperFixture& world) {
    world.put_kubeconfig(2h);
    world.remove(kSecrets, "c1-ca");
    EXPECT_THAT(warning(world.keep(kConnected)), HasSubstr("ends 2026-01-01T02:00:00Z"));

    world.settle(3h);
    const auto ended = world.keep(kNotConnected);
    world.settle(30s);
    const auto later = world.keep(kNotConnected);

    EXPECT_THAT(warning(ended), HasSubstr("ended 2026-01-01T02:00:00Z and can't be renewed: secret "
                                          "default/c1-ca does not exist"));
    EXPECT_EQ(ended.look_again, 30s) << "it is as good as missing";
    EXPECT_EQ(warning(later), "");
  });
}

TEST(KubeconfigKeeper, FailsNoTurnBecauseASecretThatWorksCanNotBeReplaced) {
  in_world([](KubeconfigKeeperFixture& world) {
    const auto kept_while = [&](Code code) {
      world.settle(60min);
      world.client.allow();
      world.client.refuse("patch secrets c1-kubeconfig", {.code = code, .message = "refused"});
      return warning(world.keep(kConnected));
    };
    world.put_kubeconfig(std::chrono::days(100));

    EXPECT_THAT(
        kept_while(Code::Forbidden),
        HasSubstr("can't be renewed: write secret default/c1-kubeconfig: refused; allow this manager to, "
                  "or renew the certificate yourself"));
    EXPECT_EQ(kept_while(Code::Conflict), "") << "that passes by itself";
    EXPECT_EQ(kept_while(Code::Forbidden), "") << "it was said";
  });
}

TEST(KubeconfigKeeper, SaysOnceThatItMayNotMakeTheSecret) {
  in_world([](KubeconfigKeeperFixture& world) {
    world.client.refuse("create secrets c1-kubeconfig", {.code = Code::Forbidden, .message = "refused"});

    const auto first = world.keep(kNotConnected);
    world.settle(30s);
    const auto second = world.keep(kNotConnected);

    EXPECT_EQ(
        warning(first),
        "KubeconfigNotMade: no control plane object makes the kubeconfig, and neither may this manager: "
        "write secret default/c1-kubeconfig: refused; allow it, or create Secret c1-kubeconfig");
    EXPECT_EQ(warning(second), "");
  });
}

TEST(KubeconfigKeeper, SaysOnceWhatACaLacksWhileThereIsNoSecret) {
  in_world([](KubeconfigKeeperFixture& world) {
    world.take_the_key_from_the_ca();

    const auto first = world.keep(kNotConnected);
    world.settle(30s);
    const auto second = world.keep(kNotConnected);
    world.give_the_ca_its_key();
    world.settle(30s);
    const auto third = world.keep(kNotConnected);

    EXPECT_EQ(
        warning(first),
        "WaitingForClusterCA: no control plane object makes the kubeconfig: secret default/c1-ca has no "
        "key \"tls.key\"; put the CA's tls.crt and tls.key into Secret c1-ca, or create Secret "
        "c1-kubeconfig");
    EXPECT_EQ(first.look_again, 30s);
    EXPECT_EQ(warning(second), "");
    EXPECT_TRUE(third.made);
  });
}

TEST(KubeconfigKeeper, SaysOnceThatItsSecretHoldsNoKubeconfigAnyMore) {
  in_world([](KubeconfigKeeperFixture& world) {
    world.put_unreadable_kubeconfig();
    const std::string before = json::serialize(world.read(kSecrets, "c1-kubeconfig"));

    const auto first = world.keep(kNotConnected);
    world.settle(30s);
    const auto second = world.keep(kNotConnected);

    EXPECT_THAT(warning(first),
                StartsWith("KubeconfigUnreadable: secret default/c1-kubeconfig: kubeconfig: line"));
    EXPECT_THAT(warning(first), EndsWith("; repair it, or delete it to have it made again"));
    EXPECT_EQ(warning(second), "");
    EXPECT_EQ(json::serialize(world.read(kSecrets, "c1-kubeconfig")), before) << "it may be in the making";
  });
}

TEST(KubeconfigKeeper, SaysNothingOfWhatSomebodyElsePutThere) {
  in_world([](KubeconfigKeeperFixture& world) {
    world.make(kSecrets, a_secret("c1-kubeconfig", {{"value", base64_encode("theirs")}}));

    EXPECT_EQ(warning(world.keep(kNotConnected)), "");
  });
}

}  // namespace
}  // namespace capstan::controllers::cluster
