// The simulated cloud behind the protocol, over real sockets: each verb, what gets lost on the way of none,
// and who may speak to whom. provider_test.cc and provider_pool_test.cc hold behind the protocol, too
// (infrastructure_behind_protocol in cmake/floors.cmake).
#include "infrastructure/remote/protocol.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>

#include "api/driver/names.h"
#include "infrastructure/remote/raw_driver_fixture.h"
#include "infrastructure/remote/server.h"
#include "infrastructure/sim/cloud.h"
#include "net/test_support.h"

namespace capstan::infrastructure::remote {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::SizeIs;

constexpr sim::Latency kAtOnce = {.create = 0ns, .remove = 0ns, .status = 0ns, .list = 0ns};

// PEM files of one test.
class CertificateFiles {
 public:
  CertificateFiles() : folder_(testing::TempDir() + "capstan-driver-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
    write_server(pki_.server_certificate());
    write("client", pki_.client_certificate({.common_name = "capstan"}));
  }
  ~CertificateFiles() { std::filesystem::remove_all(folder_); }
  CertificateFiles(const CertificateFiles&) = delete;
  CertificateFiles& operator=(const CertificateFiles&) = delete;

  const net::TestPki& pki() const { return pki_; }
  void write_server(const net::KeyAndCertificate& made) { write("server", made); }
  void write(const std::string& name, const net::KeyAndCertificate& made) {
    std::ofstream(folder_ + "/ca.pem") << pki_.ca().certificate_pem;
    std::ofstream(folder_ + "/" + name + ".pem") << made.certificate_pem;
    std::ofstream(folder_ + "/" + name + ".key") << made.private_key_pem.reveal();
  }
  TlsPaths of(const std::string& name) const {
    return {.authority = folder_ + "/ca.pem",
            .certificate = folder_ + "/" + name + ".pem",
            .key = folder_ + "/" + name + ".key"};
  }

 private:
  const net::TestPki pki_;
  const std::string folder_;
};

struct CloudStage {
  SystemClock clock = {};
  SystemThreads threads = {};
  sim::SimCloud cloud;
  explicit CloudStage(sim::Script script = {.latency = kAtOnce})
      : cloud({.clock = clock, .threads = threads}, std::move(script)) {}
};

class Protocol : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    const bool tls = GetParam();
    server_ = std::make_unique<DriverServer>(
        DriverServerDeps{.clock = stage_.clock, .threads = stage_.threads, .driver = stage_.cloud},
        tls ? Endpoint{.host = "127.0.0.1"} : Endpoint{.socket = socket_path("protocol")},
        tls ? files_.of("server") : TlsPaths());
    const auto started = server_->start();
    ASSERT_TRUE(started) << started.error().describe();
    at_ = std::make_unique<DriverAt>(
        TransportOptions{.endpoint = tls ? Endpoint{.host = "127.0.0.1", .port = server_->port()}
                                         : Endpoint{.socket = socket_path("protocol")},
                         .tls = tls ? files_.of("client") : TlsPaths()});
  }

  Driver& driver() { return at_->driver; }
  Deadline soon() const { return at_->within(20s); }
  Vm made(const std::string& name) {
    auto vm =
        driver().create({.instance_key = "key-" + name, .name = name, .tags = {{"pool", "p"}}}, {}, soon());
    EXPECT_TRUE(vm) << vm.error().describe();
    return vm.value_or(Vm());
  }

  CloudStage stage_;
  CertificateFiles files_;
  std::unique_ptr<DriverServer> server_;
  std::unique_ptr<DriverAt> at_;
};

INSTANTIATE_TEST_SUITE_P(Over, Protocol, testing::Values(false, true),
                         [](const auto& over) { return over.param ? "Tls" : "UnixSocket"; });

TEST_P(Protocol, MakesOneVmForAKey) {
  const Vm first = made("m1");
  const Vm again = made("m1");

  EXPECT_EQ(first, again);
  EXPECT_EQ(stage_.cloud.vms(), std::vector{first});
  EXPECT_EQ(tag_of(first, api::driver::tag::kInstanceKey), "key-m1");
}

TEST_P(Protocol, CarriesAllOfAWish) {
  const CreateVm wanted{.instance_key = "k",
                        .name = "m1",
                        .tags = {{"a", "b"}},
                        .vm_class = "m5.large",
                        .failure_domain = "zone-b",
                        .kubernetes_version = "v1.35.0",
                        .provider_spec = R"({"interruptible":true})",
                        .user_data = Secret<std::string>("#cloud-config\n\x01\xff"),
                        .user_data_format = "cloud-config"};

  const auto vm = driver().create(wanted, {}, soon());

  ASSERT_TRUE(vm) << vm.error().describe();
  EXPECT_EQ(vm->failure_domain, "zone-b");
  EXPECT_TRUE(vm->interruptible);
  EXPECT_EQ(tag_of(*vm, "a"), "b");
}

TEST_P(Protocol, AnswersAboutAVmUntilItIsGone) {
  const Vm vm = made("m1");

  EXPECT_EQ(driver().status({.provider_id = vm.provider_id}, {}, soon()).value().name, "m1");
  EXPECT_EQ(driver().initialize({.id = {.instance_key = "key-m1"}}, {}, soon()).value(), vm);
  EXPECT_TRUE(driver().remove({.provider_id = vm.provider_id}, {}, soon()));

  EXPECT_EQ(driver().status({.instance_key = "key-m1"}, {}, soon()).error().code, DriverCode::NotFound);
  EXPECT_EQ(driver().remove({.provider_id = vm.provider_id}, {}, soon()).error().code, DriverCode::NotFound);
}

TEST_P(Protocol, ListsByTagOverSeveralPages) {
  for (int i = 0; i < 4; ++i) made("m" + std::to_string(i));
  const auto tagged = driver().tag({.instance_key = "key-m1"},
                                   {{"pool", ""}, {"big", std::string(300'000, 'x')}}, {}, soon());
  const auto more =
      driver().tag({.instance_key = "key-m2"}, {{"big", std::string(300'000, 'x')}}, {}, soon());

  ASSERT_TRUE(tagged && more);
  EXPECT_THAT(driver().list({{"pool", "p"}}, {}, soon()).value(), SizeIs(3));
  EXPECT_THAT(driver().list({}, {}, soon()).value(), SizeIs(4));
}

TEST_P(Protocol, KnowsItsVolumesAndItself) {
  const std::vector<std::string> specs = {R"({"csi":{"driver":"sim.capstan.dev","volumeHandle":"disk-1"}})",
                                          R"({"csi":{"driver":"another","volumeHandle":"x"}})"};

  EXPECT_EQ(driver().volume_ids(specs, soon()).value(), stage_.cloud.volume_ids(specs, soon()).value());
  EXPECT_EQ(driver().identity({}, soon()).value().driver, "sim");
}

TEST_P(Protocol, EndsACallThatTheDriverStillWorksOn) {
  CloudStage slow({.latency = {.status = 60s}});
  DriverServer server({.clock = slow.clock, .threads = slow.threads, .driver = slow.cloud},
                      {.socket = socket_path("slow")});
  ASSERT_TRUE(server.start());
  DriverAt at(socket_path("slow"));

  const auto vm = at.driver.status({.instance_key = "k"}, {}, at.within(100ms));

  ASSERT_FALSE(vm);
  EXPECT_EQ(vm.error().code, DriverCode::DeadlineExceeded);
}

// --- who may speak to whom ---

struct Tls : testing::Test {
  CloudStage stage;
  CertificateFiles files;
  DriverServer server{{.clock = stage.clock, .threads = stage.threads, .driver = stage.cloud},
                      {.host = "127.0.0.1"},
                      files.of("server")};

  std::string answer_to(const TlsPaths& paths, const std::string& host = "127.0.0.1") {
    DriverAt at({.endpoint = {.host = host, .port = server.port()}, .tls = paths});
    const auto identity = at.driver.identity({}, at.within(20s));
    return identity ? identity->driver : identity.error().describe();
  }
};

TEST_F(Tls, IsRefusedUnderAnotherName) {
  files.write_server(files.pki().server_certificate({.dns_names = {"driver.example"}}));
  DriverServer other({.clock = stage.clock, .threads = stage.threads, .driver = stage.cloud},
                     {.host = "127.0.0.1"}, files.of("server"));
  ASSERT_TRUE(other.start());
  DriverAt at({.endpoint = {.host = "localhost", .port = other.port()}, .tls = files.of("client")});

  const auto identity = at.driver.identity({}, at.within(20s));

  ASSERT_FALSE(identity);
  EXPECT_EQ(identity.error().code, DriverCode::Unavailable);
  EXPECT_THAT(identity.error().message, HasSubstr("driver at https://localhost"));
  EXPECT_THAT(identity.error().message, HasSubstr("SSLServerVerification"));
}

TEST_F(Tls, IsRefusedToAClientOfAnotherAuthority) {
  ASSERT_TRUE(server.start());
  const net::TestPki another;
  files.write("stranger", another.client_certificate({.common_name = "capstan"}));

  EXPECT_THAT(answer_to(files.of("stranger")), testing::Not("sim"));
  EXPECT_EQ(answer_to(files.of("client")), "sim");
}

TEST_F(Tls, NamesACertificateThatIsNotThere) {
  ASSERT_TRUE(server.start());

  EXPECT_THAT(answer_to(files.of("nobody")), HasSubstr("Unavailable: driver at https://127.0.0.1:"));
  EXPECT_THAT(answer_to(files.of("nobody")), HasSubstr("the client certificate or its key can't be read"));
}

TEST_F(Tls, FollowsTheFilesOfTheClient) {
  ASSERT_TRUE(server.start());
  const net::TestPki another;
  files.write("rotated", another.client_certificate({.common_name = "capstan"}));
  DriverAt at({.endpoint = {.host = "127.0.0.1", .port = server.port()}, .tls = files.of("rotated")});
  const auto before = at.driver.identity({}, at.within(20s));

  files.write("rotated", files.pki().client_certificate({.common_name = "capstan"}));
  const auto after = at.driver.identity({}, at.within(20s));

  EXPECT_FALSE(before);
  ASSERT_TRUE(after) << after.error().describe();
}

TEST_F(Tls, ClosesConnectionsOfCertificatesThatWereReplaced) {
  ASSERT_TRUE(server.start());
  DriverAt at({.endpoint = {.host = "127.0.0.1", .port = server.port()}, .tls = files.of("client")});
  const auto before = at.driver.identity({}, at.within(20s));

  const net::TestPki another;
  files.write("client", another.client_certificate({.common_name = "capstan"}));
  const auto after = at.driver.identity({}, at.within(20s));

  EXPECT_TRUE(before);
  EXPECT_FALSE(after) << "the connection of the former certificate was kept";
}

constexpr std::string_view kSim = R"({"driver":"sim"})";

TEST(Connections, AreKeptFromCallToCall) {
  std::atomic<int> connections = 0;
  const RawDriver raw(socket_path("kept"), [&](RawConnection& connection) {
    ++connections;
    while (!connection.read_request().empty()) connection.answer(200, kSim);
  });
  DriverAt at(socket_path("kept"));

  for (int call = 0; call < 10; ++call) EXPECT_TRUE(at.driver.identity({}, at.within(20s)));

  EXPECT_EQ(connections, 1);
}

TEST(Connections, AreMadeAnewToADriverThatWasStartedAgain) {
  const auto answers = [](RawConnection& connection) {
    while (!connection.read_request().empty()) connection.answer(200, kSim);
  };
  auto raw = std::make_unique<RawDriver>(socket_path("again"), answers);
  DriverAt at(socket_path("again"));
  EXPECT_TRUE(at.driver.identity({}, at.within(20s)));

  raw.reset();
  raw = std::make_unique<RawDriver>(socket_path("again"), answers);
  const auto identity = at.driver.identity({}, at.within(20s));

  EXPECT_TRUE(identity) << identity.error().describe();
}

TEST(Server, ReplacesASocketThatWasLeftBehind) {
  CloudStage stage;
  const Endpoint here{.socket = socket_path("left")};
  DriverServer former({.clock = stage.clock, .threads = stage.threads, .driver = stage.cloud}, here);
  ASSERT_TRUE(former.start());
  DriverServer server({.clock = stage.clock, .threads = stage.threads, .driver = stage.cloud}, here);

  const auto started = server.start();

  ASSERT_TRUE(started) << started.error().describe();
  EXPECT_EQ(std::filesystem::status(here.socket).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST(Server, LeavesAFileAlone) {
  CloudStage stage;
  const Endpoint here{.socket = socket_path("file")};
  std::ofstream(here.socket) << "not a socket";
  DriverServer server({.clock = stage.clock, .threads = stage.threads, .driver = stage.cloud}, here);

  EXPECT_FALSE(server.start());
  EXPECT_TRUE(std::filesystem::remove(here.socket));
}

TEST(Server, NamesWhatItCanNotListenAt) {
  CloudStage stage;
  DriverServer server({.clock = stage.clock, .threads = stage.threads, .driver = stage.cloud},
                      {.socket = "/no/such/folder/d.sock"});

  const auto started = server.start();

  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().message, "can't listen at unix:/no/such/folder/d.sock");
}

}  // namespace
}  // namespace capstan::infrastructure::remote
