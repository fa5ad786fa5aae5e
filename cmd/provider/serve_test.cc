#include "cmd/provider/serve.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "api/core/lease.h"
#include "api/driver/driver_cluster.h"
#include "api/schema/crd.h"
#include "apiserver/http/server.h"
#include "cmd/crdgen/kinds.h"
#include "kube/remote_client.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/connect.h"
#include "test/fakes/collecting_sink.h"

namespace capstan::provider {
namespace {

constexpr auto kPatience = std::chrono::minutes(1);

// An embedded API server that has our kinds, and a kubeconfig of it.
class Serving : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "provider_test.XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    auto server = apiserver::Server::start(io_, clock_, threads_, {});
    ASSERT_TRUE(server) << server.error().describe();
    server_ = std::move(*server);
    std::ofstream(folder_ / "kubeconfig") << *server_->kubeconfig();
    auto client = kube::RemoteClient::make({io_, threads_, clock_},
                                           *kubeconfig::load((folder_ / "kubeconfig").string()), {});
    ASSERT_TRUE(client) << client.error().describe();
    client_ = std::move(*client);
    options_.scope.kubeconfig = (folder_ / "kubeconfig").string();
    options_.scope.driver = kSimulated;
    options_.endpoints = {.health_addr = "0", .diagnostics_address = "0"};
    options_.election.leader_elect = true;
    options_.election.lease_namespace = "default";
    options_.process.exit_when_ready = true;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void install_kinds() {
    for (const auto& versions : crdgen::kinds()) {
      const auto crd = api::crd(versions);
      const std::string name(crd.at("metadata").at("name").as_string());
      const auto made =
          client_->create(kube::resources::custom_resource_definitions(), {.name = name}, crd, {}, soon());
      ASSERT_TRUE(made) << made.error().describe();
    }
  }
  Result<void> run() { return serve(options_, {clock_, threads_, randomness_}, Log(sink_, clock_), {}); }
  Deadline soon() { return Deadline::in(clock_, kPatience); }
  std::vector<std::string> leases() {
    std::vector<std::string> found;
    const auto listed = kube::list<api::Lease>(*client_, {}, soon());
    for (const api::Lease& lease : listed->items)
      found.push_back(lease.metadata.name.str() + " held by <" + lease.spec.holder_identity.str() + ">");
    return found;
  }

  SystemClock clock_;
  SystemThreads threads_;
  SystemRandomness randomness_;
  net::IoPool io_;
  std::filesystem::path folder_;
  fakes::CollectingSink sink_;
  std::unique_ptr<apiserver::Server> server_;
  std::unique_ptr<kube::RemoteClient> client_;
  Options options_;
};

TEST_F(Serving, LeadsEachProviderStartsThemAndGivesTheirLeasesBack) {
  install_kinds();

  const auto served = run();

  ASSERT_TRUE(served) << served.error().describe();
  EXPECT_EQ(sink_.count("providers run"), 1U);
  EXPECT_EQ(sink_.count("leading"), 2U);
  EXPECT_THAT(leases(), testing::ElementsAre("controller-leader-election-capstan-bootstrap held by <>",
                                             "controller-leader-election-capstan-infrastructure held by <>"));
}

TEST_F(Serving, RunsOneProviderAlone) {
  install_kinds();
  options_.scope.providers = {std::string(kBootstrap)};

  const auto served = run();

  ASSERT_TRUE(served) << served.error().describe();
  EXPECT_THAT(leases(), testing::ElementsAre("controller-leader-election-capstan-bootstrap held by <>"));
}

TEST_F(Serving, EndsWithAnErrorWhereTheServerIsGone) {
  server_->refuse(true);

  const auto served = run();

  EXPECT_FALSE(served);
}

}  // namespace
}  // namespace capstan::provider
