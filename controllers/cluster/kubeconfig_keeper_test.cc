#include "controllers/cluster/kubeconfig_keeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/base64.h"
#include "controllers/shared/stage_server_fixture.h"
#include "net/pki.h"
#include "test/builders/cluster.h"

namespace capstan::controllers::cluster {
namespace {

using builders::a_cluster;
using testing::ElementsAre;
using testing::IsEmpty;
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
class World : public StageServer {
 public:
  explicit World(fakes::Baton& with) : StageServer(with) {
    make(kube::resource_of<api::Cluster>(),
         api::to_json(a_cluster("c1").without_control_plane_ref().endpoint("10.0.0.1", 6443).build()));
    make(kSecrets, a_secret("c1-ca", {{"tls.crt", base64_encode(ca_.certificate_pem)},
                                      {"tls.key", base64_encode(ca_.private_key_pem.reveal())}}));
  }

  KubeconfigKeeper::Kept keep(bool connected) {
    auto kept = keeper_.keep(read<api::Cluster>("c1"), connected, Deadline::never());
    EXPECT_TRUE(kept) << kept.error().describe();
    return kept.value_or(KubeconfigKeeper::Kept{});
  }
  std::vector<std::string> requests() { return std::exchange(client.notes, {}); }

  fakes::MemoryClient memory{api, baton, {.user_agent = "manager/1"}};
  NotingClient client{memory};

 private:
  net::KeyAndCertificate an_authority() const {
    return *net::new_ca("kubernetes", baton.now() - 1h, baton.now() + std::chrono::days(3650));
  }

  KubeconfigKeeper keeper_{baton, client};
  net::KeyAndCertificate ca_ = an_authority();
};

void in_world(const std::function<void(World&)>& body) {
  under_seeds([&](fakes::Baton& baton) {
    World world(baton);
    body(world);
  });
}

TEST(KubeconfigKeeper, LooksOnceAnHourAtWhatWorksAndSetsNoTimerForIt) {
  in_world([](World& world) {
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
  in_world([](World& world) {
    EXPECT_TRUE(world.keep(kConnected).made);
    world.remove(kSecrets, "c1-kubeconfig");

    world.settle(60min);

    EXPECT_TRUE(world.keep(kConnected).made);
    EXPECT_TRUE(world.exists(kSecrets, "c1-kubeconfig"));
  });
}

TEST(KubeconfigKeeper, MakesASecretAgainSoonerWhileTheClusterIsOutOfReach) {
  in_world([](World& world) {
    EXPECT_TRUE(world.keep(kConnected).made);
    world.remove(kSecrets, "c1-kubeconfig");

    world.settle(30s);

    EXPECT_TRUE(world.keep(kNotConnected).made);
  });
}

TEST(KubeconfigKeeper, StepsInWhereSomebodyElsesSecretWasDeleted) {
  in_world([](World& world) {
    world.make(kSecrets, a_secret("c1-kubeconfig", {{"value", base64_encode("theirs")}}));
    EXPECT_FALSE(world.keep(kConnected).made);
    world.remove(kSecrets, "c1-kubeconfig");

    world.settle(60min);

    EXPECT_TRUE(world.keep(kConnected).made);
  });
}

}  // namespace
}  // namespace capstan::controllers::cluster
