#include "webhooks/server.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>

#include "base/guarded.h"
#include "net/test_support.h"

namespace capstan::webhooks {
namespace {

using testing::HasSubstr;

// Where a certificate and its key are, exchanged as a careful writer does: a new file takes the old one's
// place.
class Folder {
 public:
  Folder()
      : path_(testing::TempDir() + "/capstan-webhooks-" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  const std::string& path() const { return path_; }

  void put(const net::KeyAndCertificate& pair) const {
    write("tls.crt", pair.certificate_pem);
    write("tls.key", pair.private_key_pem.reveal());
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/new") << text;
    std::filesystem::rename(path_ + "/new", path_ + "/" + name);
  }

 private:
  std::string path_;
};

class Lines final : public LogSink {
 public:
  void write(std::string_view line) override {
    lines_.with([&](auto& lines) { lines.emplace_back(line); });
    changed_.notify();
  }
  std::ptrdiff_t count(std::string_view part) const {
    return lines_.with([&](const auto& lines) {
      return std::ranges::count_if(lines, [&](const auto& line) { return line.contains(part); });
    });
  }
  bool wait_for(std::string_view part) {
    return net::wait_for(changed_, [&] { return count(part) > 0; });
  }

 private:
  Guarded<std::vector<std::string>> lines_;
  Signal changed_;
};

class WebhookServer : public testing::Test {
 protected:
  ServerDeps deps() { return {.io = io_, .clock = clock_, .threads = threads_, .log = Log(lines_, clock_)}; }
  ServerOptions options() const {
    return {.address = "127.0.0.1",
            .port = 0,
            .certificate_folder = folder_.path(),
            .look_every = std::chrono::milliseconds(2)};
  }
  // A connection of its own.
  Result<net::HttpResponse> ask(const Server& server, const net::TestPki& trusted,
                                const net::HttpRequest& request) {
    net::HttpClient client(io_, net::tls_client(server.port(), trusted.client()));
    return client.request(request, net::soon());
  }

  SystemClock clock_;
  SystemThreads threads_;
  net::IoPool io_{1};
  net::TestPki pki_;
  Folder folder_;
  Lines lines_;
};

TEST_F(WebhookServer, AnswersReviewsProbesAndNothingElse) {
  folder_.put(pki_.server_certificate());
  Server server(deps(), options());
  server.add("/convert", [](const net::ServerRequest& request) {
    return net::HttpResponse{.status = 200, .body = "converted " + request.body};
  });
  ASSERT_TRUE(server.start());

  const auto review =
      ask(server, pki_, {.method = "POST", .target = "/convert?timeout=10s", .body = "a review"});
  const auto health = ask(server, pki_, {.target = "/healthz"});
  const auto read = ask(server, pki_, {.target = "/convert"});
  const auto unknown = ask(server, pki_, {.method = "POST", .target = "/mutate"});

  ASSERT_TRUE(review && health && read && unknown);
  EXPECT_EQ(review->body, "converted a review");
  EXPECT_EQ(health->status, 200);
  EXPECT_EQ(read->status, 405);
  EXPECT_EQ(unknown->status, 404);
}

TEST_F(WebhookServer, HasAProblemUntilItListensAndAfterItStopped) {
  Server server(deps(), options());

  const auto without_certificate = server.start();
  const auto before = server.problem();
  folder_.put(pki_.server_certificate());
  const auto started = server.start();
  const auto meanwhile = server.problem();
  server.stop();

  EXPECT_FALSE(without_certificate);
  EXPECT_EQ(before, "the webhook server does not listen yet");
  ASSERT_TRUE(started) << started.error().message;
  EXPECT_EQ(meanwhile, std::nullopt);
  EXPECT_NE(server.problem(), std::nullopt);
}

TEST_F(WebhookServer, CountsWhatItAnswersAtEachPath) {
  Metrics metrics;
  ServerDeps counting = deps();
  counting.metrics = &metrics;
  Server server(counting, options());
  server.add("/good", [](const net::ServerRequest&) { return net::HttpResponse{.status = 200}; });
  server.add("/bad", [](const net::ServerRequest&) { return net::HttpResponse{.status = 500}; });

  for (const char* path : {"/good", "/bad", "/good", "/unknown"})
    (void)server.answer({.method = "POST", .target = path});
  const std::string text = metrics.text();

  EXPECT_THAT(text, HasSubstr("controller_runtime_webhook_requests_total{code=\"200\",webhook=\"/good\"} 2"));
  EXPECT_THAT(text, HasSubstr("controller_runtime_webhook_requests_total{code=\"500\",webhook=\"/bad\"} 1"));
  EXPECT_THAT(text, HasSubstr("controller_runtime_webhook_requests_total{code=\"200\",webhook=\"/bad\"} 0"));
  EXPECT_THAT(text, HasSubstr("controller_runtime_webhook_latency_seconds_count{webhook=\"/good\"} 2"));
  EXPECT_THAT(text, HasSubstr("controller_runtime_webhook_requests_in_flight{webhook=\"/good\"} 0"));
}

TEST_F(WebhookServer, ShowsANewCertificateToNewConnections) {
  folder_.put(pki_.server_certificate());
  Server server(deps(), options());
  ASSERT_TRUE(server.start());
  const net::TestPki next;
  ASSERT_FALSE(ask(server, next, {.target = "/healthz"}));

  folder_.put(next.server_certificate());
  ASSERT_TRUE(lines_.wait_for("webhook certificate exchanged"));

  EXPECT_TRUE(ask(server, next, {.target = "/healthz"}));
  EXPECT_FALSE(ask(server, pki_, {.target = "/healthz"}));
}

TEST_F(WebhookServer, ServesACertificateThatIsHandedOverAndTheNextOne) {
  ServerOptions without_files = options();
  without_files.certificate_folder.clear();
  Server server(deps(), without_files);
  const auto too_early = server.start();
  server.use_certificate(pki_.server());
  ASSERT_TRUE(server.start());
  ASSERT_TRUE(ask(server, pki_, {.target = "/healthz"}));
  const net::TestPki next;

  server.use_certificate(next.server());

  EXPECT_FALSE(too_early);
  EXPECT_TRUE(ask(server, next, {.target = "/healthz"}));
  EXPECT_FALSE(ask(server, pki_, {.target = "/healthz"}));
}

// As API servers call while an authority is changed: they trust the former one and the next. For
// ThreadSanitizer, too.
TEST_F(WebhookServer, AnswersEveryCallerWhileItsCertificateIsExchanged) {
  constexpr int kCallers = 8;
  constexpr int kExchanges = 40;
  ServerOptions without_files = options();
  without_files.certificate_folder.clear();
  Server server(deps(), without_files);
  server.use_certificate(pki_.server());
  ASSERT_TRUE(server.start());
  const net::TestPki next;
  const auto trusting_both =
      net::value_of(net::client_tls({.ca_pem = pki_.ca().certificate_pem + next.ca().certificate_pem}));
  std::atomic<int> calls = 0;
  Signal called;
  Guarded<std::vector<std::string>> failures;
  std::vector<std::unique_ptr<Thread>> callers;
  for (int i = 0; i < kCallers; ++i) {
    callers.push_back(threads_.spawn("caller", [&](const std::stop_token& stop) {
      while (!stop.stop_requested()) {
        net::HttpClient client(io_, net::tls_client(server.port(), trusting_both));
        const auto answer = client.request({.target = "/healthz"}, net::soon());
        if (!answer) failures.with([&](auto& all) { all.push_back(answer.error().describe()); });
        ++calls;
        called.notify();
      }
    }));
  }

  for (int i = 1; i <= kExchanges; ++i) {
    const int before = calls;
    server.use_certificate((i % 2 == 0 ? pki_ : next).server());
    ASSERT_TRUE(net::wait_for(called, [&] { return calls >= before + kCallers; }));
  }
  callers.clear();

  EXPECT_THAT(failures.with([](const auto& all) { return all; }), testing::IsEmpty()) << "of " << calls;
}

TEST_F(WebhookServer, KeepsTheOldCertificateWhileTheNewOneIsHalfThere) {
  folder_.put(pki_.server_certificate());
  Server server(deps(), options());
  ASSERT_TRUE(server.start());

  folder_.write("tls.crt", "half a certif");
  ASSERT_TRUE(lines_.wait_for("webhook certificate is not exchanged"));

  EXPECT_TRUE(ask(server, pki_, {.target = "/healthz"}));
}

TEST_F(WebhookServer, SaysWhyAPIServersWillRefuseItsCertificate) {
  ServerOptions called = options();
  called.called_as = "capi-webhook-service.capi-system.svc";
  folder_.put(pki_.server_certificate({.dns_names = {"other"}}));
  Server for_another_name(deps(), called);
  ASSERT_TRUE(for_another_name.start());
  EXPECT_EQ(lines_.count("it is not for capi-webhook-service.capi-system.svc"), 1);

  folder_.put(pki_.server_certificate({.dns_names = {called.called_as},
                                       .not_before = clock_.now() - std::chrono::hours(2),
                                       .not_after = clock_.now() - std::chrono::hours(1)}));
  ASSERT_TRUE(lines_.wait_for("it has expired at 20"));
  for_another_name.stop();
  const auto complaints = lines_.count("API servers refuse the webhook certificate");

  folder_.put(pki_.server_certificate({.dns_names = {called.called_as}}));
  Server good(deps(), called);
  ASSERT_TRUE(good.start());
  EXPECT_EQ(lines_.count("API servers refuse the webhook certificate"), complaints);
}

TEST_F(WebhookServer, NamesTheMissingCertificateAndTheWayOut) {
  Server server(deps(), options());

  const auto started = server.start();

  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr(folder_.path() + "/tls.crt"));
  EXPECT_THAT(started.error().message, HasSubstr("--webhook-port=0"));
}

TEST_F(WebhookServer, NamesThePortItCanNotHave) {
  folder_.put(pki_.server_certificate());
  Server first(deps(), options());
  ASSERT_TRUE(first.start());
  ServerOptions taken = options();
  taken.port = first.port();
  Server second(deps(), taken);

  const auto started = second.start();

  ASSERT_FALSE(started);
  EXPECT_THAT(started.error().message, HasSubstr("127.0.0.1:" + std::to_string(first.port())));
}

}  // namespace
}  // namespace capstan::webhooks
