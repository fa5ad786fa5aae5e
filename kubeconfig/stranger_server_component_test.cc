// What becomes of a server that a kubeconfig Secret names and that is no API server, or none that TLS
// verifies: real sockets, real threads, and a look at every condition, Event and log line.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/connect.h"
#include "kubeconfig/secret.h"
#include "kubeconfig/workload_registry.h"
#include "net/io_pool.h"
#include "net/raw_socket_fixture.h"
#include "net/test_support.h"
#include "test/fakes/collecting_sink.h"
#include "test/fakes/memory_client.h"

namespace capstan::kubeconfig {
namespace {

using namespace std::literals;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

const ObjectKey kHarbour = {"default", "harbour"};
constexpr std::string_view kSecretWord = "AKIAIOSFODNN7EXAMPLE";  // another service's, in every answer

// A registry that wants one cluster, and all that it says about it.
class Lookout {
 public:
  explicit Lookout(net::AddressRules rules = {.plain_http_on_loopback = true}, net::ProxyRules proxies = {})
      : management_api_({.clock = clock_}),
        management_(management_api_, threads_),
        loop_(threads_, clock_),
        registry({.clock = clock_,
                  .threads = threads_,
                  .management = management_,
                  .randomness = randomness_,
                  .loop = loop_,
                  .log = Log(sink_, clock_)},
                 remote_dial({io_, threads_, clock_}, std::move(proxies), std::move(rules)),
                 {.concurrency = 2,
                  .probe = {.every = 100ms, .timeout = 5s, .failures_until_down = 3},
                  .watches = {.backoff = {.initial = 20ms, .cap = 100ms}},
                  .backoff = {.initial = 20ms, .cap = 100ms}}) {
    registry.start();
  }

  void put_secret(ClusterEntry cluster) {
    Kubeconfig config{.current_context = "c"};
    cluster.name = "s";
    config.clusters.push_back(std::move(cluster));
    config.users.push_back({.name = "u"});
    config.contexts.push_back({.name = "c", .cluster = "s", .user = "u"});
    const auto object = secret_object(kHarbour, {"v1", "Cluster", kHarbour.name, "u"},
                                      Secret<std::string>(render(config)->reveal()));
    const auto created =
        management_.create(kube::resources::secrets(), secret_key_of(kHarbour), object, {}, net::soon());
    ASSERT_TRUE(created) << created.error().describe();
  }
  // The reason why there is no connection.
  std::string problem_with(ClusterEntry cluster) {
    put_secret(std::move(cluster));
    registry.want(kHarbour);
    until([&] { return registry.reach(kHarbour).first_failure.is_set(); });
    return registry.reach(kHarbour).problem;
  }
  template <typename Condition>
  void until(Condition&& holds) {
    const Deadline limit = net::soon();
    while (!holds()) {
      if (limit.passed(clock_.steady_now())) FAIL() << output();
      threads_.pause(Deadline::in(clock_, 2ms));
    }
  }
  bool logged(std::string_view part) const { return sink_.count(part) > 0; }
  // All that a user can see of the cluster.
  std::string output() const {
    const Reach reach = registry.reach(kHarbour);
    std::string all = reach.problem + "\n" + reach.doubt + "\n";
    for (const std::string& line : sink_.lines()) all += line;
    return all;
  }

 private:
  SystemClock clock_;
  SystemThreads threads_;
  SeededRandomness randomness_{3};
  fakes::CollectingSink sink_;
  net::IoPool io_;
  apiserver::Api management_api_;
  fakes::MemoryClient management_;
  kube::WatchLoop loop_;

 public:
  WorkloadRegistry registry;
};

std::string json_answer(std::string_view status_line, std::string_view body, std::string_view headers = "") {
  return fmt::format(
      "HTTP/1.1 {}\r\nContent-Type: application/json\r\n{}Connection: close\r\nContent-Length: {}\r\n\r\n{}",
      status_line, headers, body.size(), body);
}
std::string refusal(std::string_view reason, int code) {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","status":"Failure","message":"{} said so","reason":"{}",)"
      R"("code":{}}})",
      kSecretWord, reason, code);
}
net::RawServer::Serve always(std::string bytes) {
  return [bytes = std::move(bytes)](net::RawSocket& peer, int) {
    peer.read_until("\r\n\r\n");
    peer.send(bytes);
  };
}
ClusterEntry plain(std::uint16_t port, std::string_view path = "") {
  return {.server = fmt::format("http://127.0.0.1:{}{}", port, path)};
}

struct Answer {
  std::string name;
  std::string bytes;
  std::string said;  // in its place
};

class StrangerServer : public ::testing::TestWithParam<Answer> {};

// A kubeconfig Secret named an address inside, and the condition of its Cluster showed what stood there.
TEST_P(StrangerServer, AnswersAndNothingOfItIsRepeated) {
  net::RawServer server(always(GetParam().bytes));
  Lookout lookout;

  const std::string problem = lookout.problem_with(plain(server.port(), "/latest/meta-data"));

  EXPECT_THAT(problem, HasSubstr(GetParam().said));
  EXPECT_THAT(lookout.output(), Not(HasSubstr(kSecretWord)));
}

INSTANTIATE_TEST_SUITE_P(
    Every, StrangerServer,
    ::testing::Values(
        Answer{
            "JsonThatIsNoStatus",
            json_answer("500 Internal Server Error", fmt::format(R"({{"AccessKeyId":"{}"}})", kSecretWord)),
            "http 500 without a Status"},
        Answer{
            "JsonThatLooksLikeAStatus",
            json_answer("403 Forbidden", fmt::format(R"({{"status":"Failure","message":"{}","reason":"{}"}})",
                                                     kSecretWord, kSecretWord)),
            "http 403 without a Status"},
        Answer{"AnUnverifiedStatus", json_answer("503 Service Unavailable", refusal("Later", 503)),
               "http 503 with a Status"},
        Answer{"Html",
               fmt::format("HTTP/1.1 404 {0}\r\n{0}: {0}\r\nServer: {0}\r\nConnection: close\r\n\r\n"
                           "<h1>{0}</h1>",
                           kSecretWord),
               "http 404 without a Status"},
        Answer{"ARedirect",
               json_answer("302 Found", "", fmt::format("Location: http://{}/\r\n", kSecretWord)),
               "http 302 without a Status"},
        Answer{"ARetryAfterThatIsNoNumber",
               json_answer("503 Service Unavailable", "", fmt::format("Retry-After: {}\r\n", kSecretWord)),
               "http 503 without a Status"},
        Answer{"AHeaderWithAControlCharacter",
               fmt::format("HTTP/1.1 200 OK\r\n{}: \x01\r\n\r\n", kSecretWord), "control character"},
        Answer{"NoHttp", fmt::format("{}\r\n\r\n", kSecretWord), "not"}),
    [](const auto& row) { return row.param.name; });

TEST(StrangerServers, ARedirectIsNotFollowed) {
  std::atomic<int> arrived = 0;
  net::RawServer elsewhere([&](net::RawSocket& peer, int) {
    ++arrived;
    peer.read_until("\r\n\r\n");
    peer.send(json_answer("200 OK", "{}"));
  });
  net::RawServer server(always(json_answer(
      "307 Temporary Redirect", "", fmt::format("Location: http://127.0.0.1:{}/\r\n", elsewhere.port()))));
  Lookout lookout;

  lookout.problem_with(plain(server.port()));

  EXPECT_EQ(arrived, 0);
}

// --- over TLS ---

class TlsServer {
 public:
  explicit TlsServer(std::string body, int status)
      : server_(net::serve(
            io_, {.tls = pki_.server()},
            [status, body = std::move(body)](const net::ServerRequest&, net::Responder& to) {
              to.respond({.status = status, .headers = {{"Content-Type", "application/json"}}, .body = body});
            })) {}
  ClusterEntry verified() const { return {.server = url(), .ca_pem = pki_.ca().certificate_pem}; }
  ClusterEntry unverified() const { return {.server = url(), .insecure_skip_tls_verify = true}; }
  std::string url() const { return fmt::format("https://127.0.0.1:{}", server_->port()); }

 private:
  net::TestPki pki_;
  net::IoPool io_;
  std::unique_ptr<net::HttpServer> server_;
};

TEST(StrangerServers, OverVerifiedTlsAStatusIsRepeatedButNotAtLength) {
  const TlsServer server(fmt::format(R"({{"kind":"Status","apiVersion":"v1","status":"Failure","code":503,)"
                                     R"("reason":"ServiceUnavailable","message":"etcd is away {}"}})",
                                     std::string(5000, 'x')),
                         503);
  Lookout lookout;

  const std::string problem = lookout.problem_with(server.verified());

  EXPECT_THAT(problem, HasSubstr("etcd is away xxx"));
  EXPECT_LT(problem.size(), 1000U);
}

TEST(StrangerServers, OverVerifiedTlsOnlyAStatusIsRepeated) {
  const TlsServer server(fmt::format(R"({{"status":"Failure","message":"{}"}})", kSecretWord), 503);
  Lookout lookout;

  const std::string problem = lookout.problem_with(server.verified());

  EXPECT_THAT(problem, HasSubstr("http 503 without a Status"));
  EXPECT_THAT(lookout.output(), Not(HasSubstr(kSecretWord)));
}

TEST(StrangerServers, SkippingVerificationIsNoVerifiedTls) {
  const TlsServer server(refusal("ServiceUnavailable", 503), 503);
  Lookout lookout;

  const std::string problem = lookout.problem_with(server.unverified());

  EXPECT_THAT(problem, HasSubstr("http 503 with a Status (ServiceUnavailable)"));
  EXPECT_THAT(lookout.output(), Not(HasSubstr(kSecretWord)));
}

TEST(StrangerServers, ACertificateThatIsNotTrustedIsNotQuoted) {
  net::IoPool io;
  const net::TestPki theirs;
  const net::TestPki ours;
  const auto server =
      net::echo_server(io, {.tls = theirs.server({.subject = {.common_name = std::string(kSecretWord)},
                                                  .dns_names = {"akiaiosfodnn7example.internal"}})});
  Lookout lookout;

  const std::string problem = lookout.problem_with(
      {.server = fmt::format("https://127.0.0.1:{}", server->port()), .ca_pem = ours.ca().certificate_pem});

  EXPECT_THAT(problem, HasSubstr("certificate"));
  EXPECT_THAT(lookout.output(), Not(HasSubstr(kSecretWord)));
  EXPECT_THAT(lookout.output(), Not(HasSubstr("akiaiosfodnn7example")));
}

// --- lists and watches ---

// GET / and the rest as given; one answer per connection.
net::RawServer::Serve serving(std::string nodes, std::string events) {
  return [nodes = std::move(nodes), events = std::move(events)](net::RawSocket& peer, int) {
    const std::string head = peer.read_until("\r\n\r\n");
    const bool watches = head.contains("watch=true");
    peer.send(json_answer("200 OK", watches ? events : head.contains("/nodes") ? nodes : "{}"));
  };
}
constexpr std::string_view kNoNodes =
    R"({"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]})";

struct Listing {
  std::string name;
  std::string nodes;
  std::string events;
  std::string logged;  // once it has been read
};

class StrangerNodes : public ::testing::TestWithParam<Listing> {};

TEST_P(StrangerNodes, AreReadAndNothingOfThemIsRepeated) {
  net::RawServer server(serving(GetParam().nodes, GetParam().events));
  Lookout lookout;
  lookout.put_secret(plain(server.port()));

  lookout.registry.want(kHarbour);
  lookout.until([&] { return lookout.logged(GetParam().logged); });

  EXPECT_THAT(lookout.output(), Not(HasSubstr(kSecretWord)));
}

std::string worded(std::string_view text) { return fmt::format(fmt::runtime(text), kSecretWord); }

INSTANTIATE_TEST_SUITE_P(
    Every, StrangerNodes,
    ::testing::Values(
        Listing{"AnotherKind", worded(R"({{"kind":"{}","apiVersion":"v1","items":[]}})"), "",
                "can't be reached"},
        Listing{"NoList", worded(R"({{"kind":"NodeList","apiVersion":"v1","items":"{}"}})"), "",
                "can't be reached"},
        Listing{"AnItemThatIsNoNode",
                worded(R"({{"kind":"NodeList","apiVersion":"v1","metadata":{{"resourceVersion":"1"}},)"
                       R"("items":[{{"metadata":{{"name":"{0}","labels":{{"{0}":7}}}},"spec":"{0}"}}]}})"),
                "", "object can't be read"},
        Listing{"AnItemWithANameThatIsNone",
                worded(R"({{"kind":"NodeList","apiVersion":"v1","metadata":{{"resourceVersion":"1"}},)"
                       R"("items":[{{"metadata":{{"name":"{0}","resourceVersion":"1"}}}}]}})"),
                "", "object can't be read"},
        Listing{"AnErrorEvent", std::string(kNoNodes),
                worded(R"({{"type":"ERROR","object":{{"kind":"Status","apiVersion":"v1","status":"Failure",)"
                       R"("message":"{0}","reason":"{0}","code":500}}}})"
                       "\n"),
                "watch failed"},
        Listing{"AnEventOfNoType", std::string(kNoNodes), worded("{{\"type\":\"{0}\",\"object\":{{}}}}\n"),
                "object can't be read"},
        Listing{"AnEventThatIsNoNode", std::string(kNoNodes),
                worded(R"({{"type":"ADDED","object":{{"metadata":{{"name":"{0}","resourceVersion":"2"}},)"
                       R"("spec":"{0}"}}}})"
                       "\n"),
                "object can't be read"}),
    [](const auto& row) { return row.param.name; });

// --- where it may be ---

TEST(StrangerServers, PlainHttpIsRefusedWithTheRemedy) {
  std::atomic<int> arrived = 0;
  net::RawServer server([&](net::RawSocket& peer, int) {
    ++arrived;
    peer.read_until("\r\n\r\n");
  });
  Lookout lookout(net::AddressRules{});

  const std::string problem = lookout.problem_with(plain(server.port()));

  EXPECT_THAT(problem, AllOf(HasSubstr("default/harbour-kubeconfig"), HasSubstr("server"),
                             HasSubstr("plain http"), HasSubstr("https://")));
  EXPECT_EQ(arrived, 0);
}

TEST(StrangerServers, PlainHttpIsSpokenToThisMachineOnly) {
  Lookout lookout;

  const std::string problem = lookout.problem_with({.server = "http://192.0.2.1:80"});

  EXPECT_THAT(problem, AllOf(HasSubstr("default/harbour-kubeconfig"), HasSubstr("192.0.2.1"),
                             HasSubstr("plain http"), HasSubstr("https://")));
}

TEST(StrangerServers, ALinkLocalAddressIsRefusedWithTheRemedy) {
  for (const char* server : {"https://169.254.169.254", "https://[fe80::1]:443", "https://[fd00:ec2::254]",
                             "https://[::ffff:169.254.169.254]", "https://2852039166"}) {
    Lookout lookout;

    const std::string problem = lookout.problem_with({.server = server});

    EXPECT_THAT(problem, AllOf(HasSubstr("default/harbour-kubeconfig"), HasSubstr("server"),
                               HasSubstr("address"), HasSubstr("--workload-denied-cidrs")))
        << server;
  }
}

// A name may lead elsewhere with every look: it is the address connected to that counts.
TEST(StrangerServers, ANameThatLeadsToADeniedNetworkIsRefused) {
  std::atomic<int> arrived = 0;
  net::RawServer server([&](net::RawSocket& peer, int) {
    ++arrived;
    peer.read_until("\r\n\r\n");
  });
  Lookout lookout({.denied = {*net::parse_ip_network("127.0.0.0/8"), *net::parse_ip_network("::1/128")}});

  const std::string problem =
      lookout.problem_with({.server = fmt::format("https://localhost:{}", server.port())});

  EXPECT_THAT(problem, AllOf(HasSubstr("default/harbour-kubeconfig"), HasSubstr("denied network"),
                             HasSubstr("--workload-denied-cidrs")));
  EXPECT_EQ(arrived, 0);
}

TEST(StrangerServers, AProxyOfTheSecretMayNotBeThereEither) {
  std::atomic<int> arrived = 0;
  net::RawServer proxy([&](net::RawSocket& peer, int) {
    ++arrived;
    peer.read_until("\r\n\r\n");
  });
  Lookout lookout({.denied = {*net::parse_ip_network("127.0.0.0/8")}});

  const std::string problem = lookout.problem_with(
      {.server = "https://192.0.2.1", .proxy_url = fmt::format("http://127.0.0.1:{}", proxy.port())});

  EXPECT_THAT(problem, AllOf(HasSubstr("default/harbour-kubeconfig"), HasSubstr("proxy-url")));
  EXPECT_EQ(arrived, 0);
}

}  // namespace
}  // namespace capstan::kubeconfig
