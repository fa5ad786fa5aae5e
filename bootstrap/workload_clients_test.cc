#include "bootstrap/workload_clients.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "kube/stub_client.h"
#include "kubeconfig/secret.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/scripted_client.h"

namespace capstan::bootstrap {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr std::string_view kAccess = R"(
apiVersion: v1
kind: Config
clusters: [{name: c1, cluster: {server: "https://10.0.0.1:6443"}}]
users: [{name: admin, user: {token: admin}}]
contexts: [{name: admin, context: {cluster: c1, user: admin}}]
current-context: admin
)";

const ObjectKey kCluster = {.namespace_ = "default", .name = "c1"};

// A client that counts how many of it there are.
class CountedClient final : public kube::StubClient {
 public:
  explicit CountedClient(int& count) : count_(count) { ++count_; }
  ~CountedClient() override { --count_; }

 private:
  int& count_;
};

// A management cluster that has a kubeconfig Secret, and how often that was used to dial.
struct Dialled {
  fakes::FakeClock clock;
  fakes::ScriptedClient management;
  int dials = 0;
  int clients_there = 0;
  WorkloadClients clients{management, clock, [this](const auto&, const auto&) { return dial(); }};

  Dialled() {
    management.on_get = [](const kube::Resource&, const ObjectKey&) {
      return kubeconfig::secret_object(kCluster, {}, Secret(std::string(kAccess)));
    };
  }
  Result<std::unique_ptr<kube::Client>> dial() {
    ++dials;
    return std::make_unique<CountedClient>(clients_there);
  }
  bool reached(const ObjectKey& cluster = kCluster) {
    return clients.of(cluster, Deadline::never()).has_value();
  }
};

TEST(WorkloadClients, DialOnceForManyRequests) {
  Dialled world;

  EXPECT_TRUE(world.reached() && world.reached());

  EXPECT_EQ(world.dials, 1);
}

TEST(WorkloadClients, DialAnewAfterAFailureAndAfterAWhile) {
  Dialled world;
  EXPECT_TRUE(world.reached());

  world.clients.forget(kCluster);
  EXPECT_TRUE(world.reached());
  EXPECT_EQ(world.dials, 2);

  world.clock.advance(6min);
  EXPECT_TRUE(world.reached());
  EXPECT_EQ(world.dials, 3);
}

TEST(WorkloadClients, LetGoOfClientsThatWereNotAskedForInAWhile) {
  Dialled world;
  EXPECT_TRUE(world.reached());
  world.clock.advance(4min);
  EXPECT_TRUE(world.reached({.namespace_ = "default", .name = "c2"}));
  EXPECT_EQ(world.clients_there, 2);

  world.clock.advance(2min);
  EXPECT_TRUE(world.reached({.namespace_ = "default", .name = "c3"}));

  EXPECT_EQ(world.clients_there, 2) << "c1's is gone";
}

TEST(WorkloadClients, NameTheSecretThatIsMissing) {
  Dialled world;
  world.management.on_get = [](const kube::Resource&, const ObjectKey&) -> fakes::ScriptedClient::Object {
    return fail(Code::NotFound, "secrets \"c1-kubeconfig\" not found");
  };

  const auto client = world.clients.of(kCluster, Deadline::never());

  ASSERT_FALSE(client);
  EXPECT_THAT(client.error().message, HasSubstr("default/c1-kubeconfig"));
}

TEST(WorkloadClients, ReachNothingWithoutADial) {
  fakes::FakeClock clock;
  fakes::ScriptedClient management;
  WorkloadClients clients(management, clock, {});

  EXPECT_EQ(clients.of(kCluster, Deadline::never()).error().code, Code::NotConnected);
}

}  // namespace
}  // namespace capstan::bootstrap
