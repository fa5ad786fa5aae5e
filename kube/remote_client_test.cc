#include "kube/remote_client.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <boost/json.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

#include <unistd.h>

#include "kube/resources.h"
#include "kube/status.h"
#include "kube/test_kinds.h"
#include "kube/typed.h"
#include "net/test_support.h"
#include "test/fakes/fake_clock.h"

namespace capstan::kube {
namespace {

namespace json = boost::json;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr std::string_view kSecretJson =
    R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"ns"}})";

std::string status(std::string_view reason, int code) {
  return fmt::format(
      R"({{"kind":"Status","apiVersion":"v1","status":"Failure","message":"said so","reason":"{}","code":{}}})",
      reason, code);
}

net::HttpResponse answer(int code, std::string_view body, net::Headers headers = {}) {
  headers.emplace_back("Content-Type", "application/json");
  return {.status = code, .headers = std::move(headers), .body = std::string(body)};
}

// An API server of one handler, and a client of it.
class Bench {
 public:
  using Serve = std::function<void(const net::ServerRequest&, net::Responder&)>;

  explicit Bench(Serve serve, RemoteClientOptions options = {}, std::string_view prefix = "")
      : server_(net::serve(
            io_, {}, [this, serve = std::move(serve)](const net::ServerRequest& request, net::Responder& to) {
              seen_.with([&](auto& seen) { seen.push_back(request); });
              serve(request, to);
            })) {
    Connection connection;
    connection.server = fmt::format("http://127.0.0.1:{}{}", server_->port(), prefix);
    client = net::value_of(RemoteClient::make({io_, threads_, clock_}, connection, std::move(options)));
  }

  ~Bench() { client.reset(); }  // it must not outlive the io threads
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  static Serve always(const net::HttpResponse& response) {
    return [response](const net::ServerRequest&, net::Responder& to) { to.respond(response); };
  }
  net::HttpServer& server() { return *server_; }
  std::vector<net::ServerRequest> seen() const {
    return seen_.with([](const auto& seen) { return seen; });
  }
  net::ServerRequest last() const { return seen().back(); }

  std::unique_ptr<RemoteClient> client;

 private:
  net::IoPool io_;
  SystemThreads threads_;
  SystemClock clock_;
  Guarded<std::vector<net::ServerRequest>> seen_;
  std::unique_ptr<net::HttpServer> server_;
};

const Resource& kSecrets = resources::secrets();
const ObjectKey kKey{"ns", "a"};

// --- verbs ---

// Upstream's plain writes are owned by `manager`; under another name its old fields would never be let go.
TEST(RemoteClient, OurOwnPlainWritesAreOwnedAsUpstreamsAre) {
  Bench bench(Bench::always(answer(200, kSecretJson)));

  ASSERT_TRUE(bench.client->patch(kSecrets, kKey, json::object(), {}, net::soon()));
  const std::string plain = bench.last().target;
  ASSERT_TRUE(bench.client->create(kSecrets, kKey, json::object(), {.field_manager = "me"}, net::soon()));
  const std::string named = bench.last().target;

  EXPECT_THAT(plain, HasSubstr("fieldManager=manager"));
  EXPECT_THAT(named, HasSubstr("fieldManager=me"));
}

TEST(RemoteClient, AProgramWithAUserAgentOfItsOwnLeavesTheOwnerToTheServer) {
  Bench bench(Bench::always(answer(200, kSecretJson)), {.user_agent = "harbour/1"});

  ASSERT_TRUE(bench.client->patch(kSecrets, kKey, json::object(), {}, net::soon()));

  EXPECT_THAT(bench.last().target, Not(HasSubstr("fieldManager")));
}

TEST(RemoteClient, GetsAnObject) {
  Bench bench(Bench::always(answer(200, kSecretJson)));

  const auto object = bench.client->get(kSecrets, kKey, net::soon());

  ASSERT_TRUE(object) << object.error().message;
  EXPECT_EQ(*object, json::parse(kSecretJson));
  EXPECT_EQ(bench.last().method, "GET");
  EXPECT_EQ(bench.last().target, "/api/v1/namespaces/ns/secrets/a");
  EXPECT_THAT(*bench.last().header("user-agent"), StartsWith("capstan/"));
  EXPECT_EQ(bench.last().header("accept"), "application/json");
}

TEST(RemoteClient, EveryVerbReachesItsPath) {
  Bench bench(Bench::always(answer(200, kSecretJson)));
  RemoteClient& client = *bench.client;
  const json::value object = json::parse(kSecretJson);

  EXPECT_TRUE(client.list(kSecrets, {.limit = 2}, net::soon()));
  EXPECT_TRUE(client.create(kSecrets, kKey, object, {}, net::soon()));
  EXPECT_TRUE(client.replace(kSecrets, kKey, object, "", {}, net::soon()));
  EXPECT_TRUE(client.patch(kSecrets, kKey, object, {}, net::soon()));
  EXPECT_TRUE(client.remove(kSecrets, kKey, {}, net::soon()));
  EXPECT_TRUE(client.evict(kKey, {}, net::soon()));
  EXPECT_TRUE(client.get_path("/version", net::soon()));
  EXPECT_TRUE(client.post_path("/apis/x", object, net::soon()));

  std::vector<std::string> lines;
  for (const auto& request : bench.seen()) {
    lines.push_back(request.method + " " + request.target.substr(0, request.target.find('?')));
  }
  EXPECT_THAT(lines,
              ElementsAre("GET /api/v1/secrets", "POST /api/v1/namespaces/ns/secrets",
                          "PUT /api/v1/namespaces/ns/secrets/a", "PATCH /api/v1/namespaces/ns/secrets/a",
                          "DELETE /api/v1/namespaces/ns/secrets/a",
                          "POST /api/v1/namespaces/ns/pods/a/eviction", "GET /version", "POST /apis/x"));
}

TEST(RemoteClient, AServersPathStandsInFrontOfEveryRequest) {
  Bench bench(Bench::always(answer(200, "{}")), {}, "/k8s/clusters/c1/");

  ASSERT_TRUE(bench.client->get(kSecrets, kKey, net::soon()));

  EXPECT_EQ(bench.last().target, "/k8s/clusters/c1/api/v1/namespaces/ns/secrets/a");
}

TEST(RemoteClient, TellsTheServerWhenToGiveUpAWrite) {
  Bench bench(Bench::always(answer(200, "{}")));
  const SystemClock clock;

  ASSERT_TRUE(bench.client->patch(kSecrets, kKey, json::object(), {}, Deadline::in(clock, seconds(20))));
  const std::string write = bench.last().target;
  ASSERT_TRUE(bench.client->get(kSecrets, kKey, Deadline::in(clock, seconds(20))));
  const std::string read = bench.last().target;

  EXPECT_THAT(write, HasSubstr("timeout=20s"));
  EXPECT_THAT(read, ::testing::Not(HasSubstr("timeout")));
}

TEST(RemoteClient, TextThatIsNoJsonComesBackAsString) {
  Bench bench(Bench::always(
      {.status = 200, .headers = {{"Content-Type", "text/plain; charset=utf-8"}}, .body = "ok"}));

  EXPECT_EQ(*bench.client->get_path("/healthz", net::soon()), json::value("ok"));
}

TEST(RemoteClient, NothingLeavesTheHouseForANameThatIsNone) {
  Bench bench(Bench::always(answer(200, "{}")));

  const auto got = bench.client->get(kSecrets, {"ns", "../../x"}, net::soon());

  EXPECT_EQ(got.error().code, Code::Invalid);
  EXPECT_TRUE(bench.seen().empty());
}

// --- refusals ---

TEST(RemoteClient, ARefusalBecomesAnError) {
  Bench bench(Bench::always(answer(409, status("Conflict", 409), {{"Retry-After", "4"}})));

  const auto patched = bench.client->patch(kSecrets, kKey, json::object(), {}, net::soon());

  ASSERT_FALSE(patched);
  EXPECT_EQ(patched.error().code, Code::Conflict);
  EXPECT_EQ(patched.error().message, "said so");
  EXPECT_EQ(patched.error().retry_after, seconds(4));
}

TEST(RemoteClient, AServersErrorOnAWriteLeavesTheOutcomeOpen) {
  Bench bench(Bench::always(answer(500, status("InternalError", 500))));

  EXPECT_TRUE(bench.client->create(kSecrets, kKey, json::object(), {}, net::soon()).error().outcome_unknown);
  EXPECT_FALSE(bench.client->get(kSecrets, kKey, net::soon()).error().outcome_unknown);
}

TEST(RemoteClient, AnAnswerThatIsNoJsonIsAnError) {
  Bench bench(Bench::always(answer(200, R"({"kind":)")));

  const auto got = bench.client->get(kSecrets, kKey, net::soon());
  const auto created = bench.client->create(kSecrets, kKey, json::object(), {}, net::soon());

  EXPECT_EQ(got.error().code, Code::Unavailable);
  EXPECT_FALSE(got.error().outcome_unknown);
  EXPECT_TRUE(created.error().outcome_unknown) << "it has been created, but who knows as what";
}

TEST(RemoteClient, AWriteWhoseAnswerCanNotBeReadHasHappenedAllTheSame) {
  Bench bench(Bench::always(answer(200, R"({"metadata":{"name":"a","resourceVersion":[]},"data":{}})")));

  const auto created = create_briefly(*bench.client, kSecrets, kKey, json::object(), {}, net::soon());

  ASSERT_FALSE(created);
  EXPECT_TRUE(created.error().outcome_unknown);
}

TEST(RemoteClient, OfABriefAnswerNothingBehindMetadataIsRead) {
  Bench bench(Bench::always(
      answer(200, R"({"metadata":{"name":"a","uid":"u","resourceVersion":"7"},"data":{"a":01,nonsense}})")));

  const auto patched = patch_briefly(*bench.client, kSecrets, kKey, json::object(), {}, net::soon());

  ASSERT_TRUE(patched) << patched.error().describe();
  EXPECT_EQ(patched->metadata.resource_version, api::ResourceVersion(7));
}

TEST(RemoteClient, AnAnswerNestedTooDeepIsAnError) {
  Bench bench(Bench::always(answer(200, std::string(200, '[') + std::string(200, ']'))));

  EXPECT_FALSE(bench.client->get(kSecrets, kKey, net::soon()));
}

TEST(RemoteClient, AnAnswerThatIsTooLargeIsCutOff) {
  Bench bench(Bench::always(answer(200, "\"" + std::string(200'000, 'x') + "\"")),
              {.max_body_bytes = 100'000});

  EXPECT_FALSE(bench.client->get(kSecrets, kKey, net::soon()));
}

TEST(RemoteClient, ATruncatedAnswerToAWriteLeavesTheOutcomeOpen) {
  Bench bench([](const net::ServerRequest&, net::Responder& to) {
    const auto stream = to.begin_stream(200, {{"Content-Type", "application/json"}});
    stream->write(R"({"kind":"Secr)");
    stream->abort();
  });

  const auto created = bench.client->create(kSecrets, kKey, json::object(), {}, net::soon());

  ASSERT_FALSE(created);
  EXPECT_TRUE(created.error().outcome_unknown);
}

TEST(RemoteClient, ADroppedConnectionLeavesTheOutcomeOpen) {
  Bench bench([](const net::ServerRequest&, net::Responder& to) { to.drop(); });

  const auto created = bench.client->create(kSecrets, kKey, json::object(), {}, net::soon());

  ASSERT_FALSE(created);
  EXPECT_TRUE(created.error().outcome_unknown);
}

TEST(RemoteClient, NobodyListeningIsKnownNotToHaveWritten) {
  Bench bench(Bench::always(answer(200, "{}")));
  bench.server().pause_accepting(true);

  const auto created = bench.client->create(kSecrets, kKey, json::object(), {}, net::soon());

  ASSERT_FALSE(created);
  EXPECT_TRUE(is_transient(created.error().code));
  EXPECT_FALSE(created.error().outcome_unknown);
}

// --- limits and records ---

TEST(RemoteClient, KeepsToItsRate) {
  Bench bench(Bench::always(answer(200, "{}")), {.rate_limit = {.qps = 0.001, .burst = 2}});
  const SystemClock clock;

  const bool first = bench.client->get(kSecrets, kKey, net::soon()).has_value();
  const bool second = bench.client->get(kSecrets, kKey, net::soon()).has_value();
  const auto third = bench.client->get(kSecrets, kKey, Deadline::in(clock, seconds(5)));

  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().code, Code::Timeout);
  EXPECT_EQ(bench.seen().size(), 2U);
}

TEST(RemoteClient, ReportsEveryRequest) {
  Guarded<std::vector<std::string>> records;
  Bench bench(Bench::always(answer(404, status("NotFound", 404))),
              {.on_request = [&](const RequestRecord& record) {
                records.with([&](auto& all) {
                  all.push_back(fmt::format("{} {} {}", record.method, record.path, record.status));
                });
              }});

  const bool got = bench.client->list(kSecrets, {.limit = 1}, net::soon()).has_value();

  EXPECT_FALSE(got);
  EXPECT_THAT(records.with([](const auto& all) { return all; }), ElementsAre("GET /api/v1/secrets 404"));
}

// --- identity ---

class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view text)
      : path_(std::filesystem::temp_directory_path() /
              fmt::format("capstan-{}-{}", ::getpid(), reinterpret_cast<std::uintptr_t>(this))) {
    write(text);
  }
  ~TemporaryFile() { std::filesystem::remove(path_); }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  void write(std::string_view text) { std::ofstream(path_, std::ios::trunc) << text; }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(RemoteClient, ARefusedTokenIsReadAgainAndTheRequestRepeated) {
  TemporaryFile token("old");
  net::IoPool io;
  SystemThreads threads;
  const fakes::FakeClock clock;
  std::atomic<int> requests = 0;
  const auto server = net::serve(io, {}, [&](const net::ServerRequest& request, net::Responder& to) {
    ++requests;
    to.respond(request.header("authorization") == "Bearer new" ? answer(200, "{}")
                                                               : answer(401, status("Unauthorized", 401)));
  });
  Connection connection;
  connection.server = fmt::format("http://127.0.0.1:{}", server->port());
  connection.token_file = token.path();
  const auto client = net::value_of(RemoteClient::make({io, threads, clock}, connection));
  token.write("new");

  const auto got = client->get(kSecrets, kKey, net::soon());

  EXPECT_TRUE(got);
  EXPECT_EQ(requests.load(), 2);
}

TEST(RemoteClient, ATokenThatStaysRefusedIsNotTriedTwice) {
  Bench bench(Bench::always(answer(401, status("Unauthorized", 401))));

  const auto got = bench.client->get(kSecrets, kKey, net::soon());

  EXPECT_EQ(got.error().code, Code::Unauthorized);
  EXPECT_EQ(bench.seen().size(), 1U);
}

TEST(RemoteClient, ShowsItsCertificateAndPicksUpAnotherOne) {
  const net::TestPki pki;
  const auto jane = pki.client_certificate({.common_name = "jane"});
  const auto joe = pki.client_certificate({.common_name = "joe"});
  TemporaryFile certificate(jane.certificate_pem);
  TemporaryFile key(jane.private_key_pem.reveal());
  net::IoPool io;
  SystemThreads threads;
  fakes::FakeClock clock;
  const auto server =
      net::serve(io, {.tls = pki.server()}, [](const net::ServerRequest& request, net::Responder& to) {
        to.respond(answer(200, request.peer ? "\"" + request.peer->common_name + "\"" : "\"nobody\""));
      });
  Connection connection;
  connection.server = fmt::format("https://127.0.0.1:{}", server->port());
  connection.ca_pem = pki.ca().certificate_pem;
  connection.certificate_file = certificate.path();
  connection.private_key_file = key.path();
  const auto client = net::value_of(RemoteClient::make({io, threads, clock}, connection));

  const auto before = client->get(kSecrets, kKey, net::soon());
  certificate.write(joe.certificate_pem);
  clock.advance(seconds(61));
  const auto half_written = client->get(kSecrets, kKey, net::soon());
  key.write(joe.private_key_pem.reveal());
  clock.advance(seconds(61));
  const auto after = client->get(kSecrets, kKey, net::soon());

  EXPECT_EQ(net::value_of(before), json::value("jane"));
  EXPECT_EQ(net::value_of(half_written), json::value("jane"));
  EXPECT_EQ(net::value_of(after), json::value("joe"));
}

TEST(RemoteClient, DoesNotSpeakToAServerItCannotVerify) {
  const net::TestPki pki;
  const net::TestPki stranger;
  net::IoPool io;
  SystemThreads threads;
  SystemClock clock;
  const auto server = net::serve(io, {.tls = stranger.server()}, Bench::always(answer(200, "{}")));
  Connection connection;
  connection.server = fmt::format("https://127.0.0.1:{}", server->port());
  connection.ca_pem = pki.ca().certificate_pem;
  Connection insecure = connection;
  insecure.insecure_skip_tls_verify = true;

  const auto careful = net::value_of(RemoteClient::make({io, threads, clock}, connection));
  const auto careless = net::value_of(RemoteClient::make({io, threads, clock}, insecure));

  EXPECT_FALSE(careful->get(kSecrets, kKey, net::soon()));
  EXPECT_TRUE(careless->get(kSecrets, kKey, net::soon()));
}

TEST(RemoteClient, GoesThroughTheProxyOfTheEnvironmentUnlessNoProxyNamesTheServer) {
  net::IoPool io;
  SystemThreads threads;
  SystemClock clock;
  std::atomic<int> proxied = 0;
  const auto proxy = net::serve(io, {}, [&](const net::ServerRequest& request, net::Responder& to) {
    ++proxied;
    to.respond(answer(200, fmt::format("\"{}\"", request.header("host").value_or("nobody"))));
  });
  Connection connection;
  connection.server = "http://api.invalid";
  RemoteClientOptions rules;
  rules.proxies.http_proxy = fmt::format("http://127.0.0.1:{}", proxy->port());
  RemoteClientOptions direct = rules;
  direct.proxies.no_proxy = "example.com,.invalid";

  const auto through = net::value_of(RemoteClient::make({io, threads, clock}, connection, rules));
  const auto around = net::value_of(RemoteClient::make({io, threads, clock}, connection, direct));
  const auto seen = through->get(kSecrets, kKey, net::soon());
  const auto lost = around->get(kSecrets, kKey, net::soon());

  EXPECT_EQ(net::value_of(seen), json::value("api.invalid"));
  ASSERT_FALSE(lost);
  EXPECT_THAT(lost.error().message, HasSubstr("api.invalid"));
  EXPECT_EQ(proxied.load(), 1);
}

TEST(RemoteClient, TheProxyOfAKubeconfigWinsOverTheEnvironments) {
  net::IoPool io;
  SystemThreads threads;
  SystemClock clock;
  const auto proxy = net::serve(io, {}, Bench::always(answer(200, "{}")));
  Connection connection;
  connection.server = "http://api.invalid";
  connection.proxy_url = fmt::format("http://127.0.0.1:{}", proxy->port());
  RemoteClientOptions environment;
  environment.proxies.http_proxy = "http://proxy.invalid:3128";

  const auto client = net::value_of(RemoteClient::make({io, threads, clock}, connection, environment));

  EXPECT_TRUE(client->get(kSecrets, kKey, net::soon()));
}

TEST(RemoteClient, AMissingTokenFileIsNamedAtTheStart) {
  net::IoPool io;
  SystemThreads threads;
  SystemClock clock;
  Connection connection;
  connection.server = "https://127.0.0.1:1";
  connection.token_file = "/nowhere/token";

  const auto made = RemoteClient::make({io, threads, clock}, connection);

  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message, HasSubstr("/nowhere/token"));
}

// --- servers that a Secret names ---

constexpr std::string_view kForeign = "AKIAIOSFODNN7EXAMPLE";

// An API server behind TLS, and a client of it whose settings come from a Secret.
class StrangerBench {
 public:
  explicit StrangerBench(const net::HttpResponse& response, bool verified = true)
      : server_(net::serve(io_, {.tls = pki_.server()}, Bench::always(response))) {
    Connection connection;
    connection.server = fmt::format("https://127.0.0.1:{}", server_->port());
    connection.ca_pem = pki_.ca().certificate_pem;
    connection.insecure_skip_tls_verify = !verified;
    connection.from_secret = true;
    client = net::value_of(RemoteClient::make({io_, threads_, clock_}, connection));
  }
  ~StrangerBench() { client.reset(); }
  StrangerBench(const StrangerBench&) = delete;
  StrangerBench& operator=(const StrangerBench&) = delete;

  std::unique_ptr<RemoteClient> client;

 private:
  net::TestPki pki_;
  net::IoPool io_;
  SystemThreads threads_;
  SystemClock clock_;
  std::unique_ptr<net::HttpServer> server_;
};

std::string budget_refusal() {
  return R"({"kind":"Status","apiVersion":"v1","status":"Failure","message":"Cannot evict pod",)"
         R"("reason":"TooManyRequests","code":429,"details":{"retryAfterSeconds":10,"causes":[)"
         R"({"reason":"DisruptionBudget","message":"The disruption budget web needs 3 healthy pods"}]}})";
}

TEST(RemoteClientOfAStranger, TellsWhatABudgetSaysOverVerifiedTls) {
  const StrangerBench bench(answer(429, budget_refusal()));

  const Error error = bench.client->evict(kKey, {}, net::soon()).error();

  EXPECT_EQ(error.code, Code::RateLimited);
  EXPECT_EQ(error.message, "Cannot evict pod");
  EXPECT_EQ(error.retry_after, seconds(10));
  EXPECT_THAT(error.causes,
              ElementsAre(Cause{"", "DisruptionBudget", "The disruption budget web needs 3 healthy pods"}));
}

TEST(RemoteClientOfAStranger, KnowsABudgetsRefusalWithoutRepeatingIt) {
  const StrangerBench bench(answer(429, budget_refusal()), false);

  const Error error = bench.client->evict(kKey, {}, net::soon()).error();

  EXPECT_EQ(error.code, Code::RateLimited);
  EXPECT_EQ(error.reason, "TooManyRequests");
  EXPECT_EQ(error.message, "http 429 with a Status (TooManyRequests) of a server that TLS does not verify");
  EXPECT_THAT(error.causes, ElementsAre(Cause{"", "DisruptionBudget", "DisruptionBudget"}));
}

TEST(RemoteClientOfAStranger, ObeysRetryAfterAndDoesNotShowIt) {
  const StrangerBench bench(answer(503, "{}", {{"Retry-After", "1234"}}));

  const Error error = bench.client->get(kSecrets, kKey, net::soon()).error();

  EXPECT_EQ(error.retry_after, seconds(1234));
  EXPECT_EQ(error.message, "http 503 without a Status");
}

TEST(RemoteClientOfAStranger, RepeatsNoFieldOfAnObjectThatCanNotBeDecoded) {
  const std::string object = fmt::format(R"({{"metadata":{{"name":"{0}","labels":{{"{0}":7}}}},)"
                                         R"("items":[{{"metadata":{{"name":"{0}","labels":7}}}}]}})",
                                         kForeign);
  const StrangerBench bench(answer(200, object));
  Widget made{};
  const Into into{.type = &api::type_of<Widget>, .object = &made};

  const Error got = get<Widget>(*bench.client, kSecrets, kKey, net::soon()).error();
  const Error listed = list<Widget>(*bench.client, kSecrets, {}, net::soon()).error();
  const Error patched =
      bench.client->patch_into(into, kSecrets, kKey, json::object(), {}, net::soon()).error();

  EXPECT_EQ(got.message, "get Secret ns/a: an answer that can't be decoded");
  EXPECT_EQ(listed.message, "list Secret: an answer that can't be decoded");
  EXPECT_EQ(patched.message, "an answer that can't be decoded");
}

TEST(RemoteClientOfAStranger, IsNotMadeForPlainHttp) {
  net::IoPool io;
  SystemThreads threads;
  SystemClock clock;
  Connection connection{.server = "http://10.0.0.1", .from_secret = true};

  const auto made = RemoteClient::make({io, threads, clock}, connection);

  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().code, Code::Invalid);
  EXPECT_THAT(made.error().message, StartsWith("server: plain http "));
}

// --- streams ---

class Collector final : public StreamSink {
 public:
  void on_bytes(std::string_view bytes) override {
    state_.with([&](State& state) { state.bytes += bytes; });
    changed_.notify();
  }
  void on_end(Result<void> outcome) override {
    state_.with([&](State& state) { state.end = std::move(outcome); });
    changed_.notify();
  }
  bool wait_for_bytes(std::string_view wanted) {
    return net::wait_for(
        changed_, [&] { return state_.with([&](const State& state) { return state.bytes == wanted; }); });
  }
  Result<void> wait_for_end() {
    net::wait_for(changed_,
                  [&] { return state_.with([](const State& state) { return state.end.has_value(); }); });
    return state_.with(
        [](const State& state) { return state.end.value_or(fail(Code::Internal, "no end came")); });
  }

 private:
  struct State {
    std::string bytes = {};
    std::optional<Result<void>> end = {};
  };
  Guarded<State> state_;
  Signal changed_;
};

// The server's end of a stream, in the hands of the test; given back before the server goes.
class HeldStream {
 public:
  void open(net::Responder& to) {
    stream_.with([&](auto& stream) { stream = to.begin_stream(200, {}); });
    opened_.notify();
  }
  bool wait_until_open() {
    return net::wait_for(opened_,
                         [&] { return stream_.with([](const auto& stream) { return stream != nullptr; }); });
  }
  void write(std::string_view bytes) {
    stream_.with([&](auto& stream) { stream->write(bytes); });
  }
  void end() {
    auto stream = stream_.with([](auto& held) { return std::exchange(held, nullptr); });
    if (stream) stream->end();
  }

 private:
  Guarded<std::shared_ptr<net::ResponseStream>> stream_;
  Signal opened_;
};

TEST(RemoteClient, AWatchDeliversBytesAsTheyCome) {
  HeldStream watch;
  Bench bench([&](const net::ServerRequest&, net::Responder& to) { watch.open(to); });
  Collector sink;
  const auto stream = bench.client->watch(kSecrets, {.resource_version = "7", .timeout_seconds = 300}, sink);
  ASSERT_TRUE(watch.wait_until_open());

  watch.write("one\n");
  const bool first = sink.wait_for_bytes("one\n");
  watch.write("two\n");
  const bool second = sink.wait_for_bytes("one\ntwo\n");
  watch.end();

  EXPECT_TRUE(first);
  EXPECT_TRUE(second);
  EXPECT_TRUE(sink.wait_for_end());
  EXPECT_EQ(bench.last().target,
            "/api/v1/secrets?watch=true&resourceVersion=7&timeoutSeconds=300&allowWatchBookmarks=true");
}

TEST(RemoteClient, ARefusedStreamEndsWithTheServersReason) {
  Bench bench(Bench::always(answer(410, status("Expired", 410), {{"retry-after", "2"}})));
  Collector sink;

  const auto stream = bench.client->watch(kSecrets, {}, sink);
  const auto end = sink.wait_for_end();

  ASSERT_FALSE(end);
  EXPECT_EQ(end.error().code, Code::Gone);
  EXPECT_EQ(end.error().retry_after, seconds(2));
  EXPECT_TRUE(sink.wait_for_bytes("")) << "a refusal is no data";
}

TEST(RemoteClient, AStreamCutInTheMiddleEndsWithAnError) {
  Bench bench([](const net::ServerRequest&, net::Responder& to) {
    const auto stream = to.begin_stream(200, {});
    stream->write("half a li");
    stream->abort();
  });
  Collector sink;

  const auto stream = bench.client->list_stream(kSecrets, {}, sink);

  EXPECT_FALSE(sink.wait_for_end());
}

TEST(RemoteClient, AStreamWithAnImpossibleNameEndsAtOnce) {
  Bench bench(Bench::always(answer(200, "{}")));
  Collector sink;

  const auto stream = bench.client->list_stream(kSecrets, {.namespace_ = "a/b"}, sink);

  EXPECT_EQ(sink.wait_for_end().error().code, Code::Invalid);
  EXPECT_TRUE(bench.seen().empty());
}

TEST(RemoteClient, AClosedStreamIsNotHeardOfAgain) {
  HeldStream watch;
  Bench bench([&](const net::ServerRequest&, net::Responder& to) { watch.open(to); });
  {
    Collector sink;
    auto stream = bench.client->watch(kSecrets, {}, sink);
    ASSERT_TRUE(watch.wait_until_open());
    stream.reset();
  }

  for (int i = 0; i < 100; ++i) watch.write("late\n");
  watch.end();
}

}  // namespace
}  // namespace capstan::kube
