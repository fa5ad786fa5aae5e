#include "apiserver/http/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "net/test_support.h"

namespace capstan::apiserver {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

constexpr std::string_view kConfigMaps = "/api/v1/namespaces/default/configmaps";
constexpr std::string_view kSelfReviews = "/apis/authentication.k8s.io/v1/selfsubjectreviews";

// A watch whose bytes a test waits for.
class Watching final : public net::HttpStreamSink {
 public:
  Watching(net::HttpClient& client, std::string_view target)
      : stream_(client.stream({.target = std::string(target) + "?watch=true"}, {}, *this)) {}

  void on_headers(int, const net::Headers&) override {}
  void on_bytes(std::string_view bytes) override {
    seen_.with([&](Seen& seen) { seen.text += bytes; });
    changed_.notify();
  }
  void on_end(Result<void> outcome) override {
    seen_.with([&](Seen& seen) { seen.end = std::move(outcome); });
    changed_.notify();
  }

  bool comes(std::string_view part) {
    return wait_for([&](const Seen& seen) { return seen.text.find(part) != std::string::npos; });
  }
  bool ends() {
    return wait_for([](const Seen& seen) { return seen.end.has_value(); });
  }
  bool ended_well() const {
    return seen_.with([](const Seen& seen) { return seen.end && *seen.end; });
  }

 private:
  struct Seen {
    std::string text = {};
    std::optional<Result<void>> end = {};
  };
  template <typename Holds>
  bool wait_for(Holds holds) {
    return net::wait_for(changed_, [&] { return seen_.with(holds); });
  }
  Guarded<Seen> seen_;
  Signal changed_{"bytes of a watch"};
  std::unique_ptr<net::HttpStreamHandle> stream_;  // last: no callback runs once it is gone
};

class Servers : public testing::Test {
 protected:
  std::unique_ptr<Server> started() {
    return net::value_of(Server::start(io_, clock_, threads_, {.workers = 2}));
  }
  // Trusts `trusted` and shows an administrator's certificate that `authority` has signed.
  std::unique_ptr<net::HttpClient> client(const Server& to, const Server& trusted, const Server& authority) {
    const auto identity = net::value_of(net::issue(
        authority.authority(), {.subject = {.common_name = "admin", .organizations = {"system:masters"}},
                                .client = true,
                                .not_before = clock_.now() - 1h,
                                .not_after = clock_.now() + 1h}));
    auto tls = net::value_of(net::client_tls({.ca_pem = trusted.ca_pem(),
                                              .certificate_pem = identity.certificate_pem,
                                              .private_key_pem = identity.private_key_pem}));
    return std::make_unique<net::HttpClient>(io_, net::tls_client(to.port(), std::move(tls)));
  }
  std::unique_ptr<net::HttpClient> client(const Server& of) { return client(of, of, of); }

  static Result<net::HttpResponse> get(net::HttpClient& client, std::string_view target) {
    return client.request({.target = std::string(target)}, net::soon());
  }
  static int status_of(net::HttpClient& client, std::string_view target) {
    const auto answer = get(client, target);
    return answer ? answer->status : 0;
  }
  static Result<net::HttpResponse> post(net::HttpClient& client, std::string_view target,
                                        std::string_view body) {
    return client.request({.method = "POST",
                           .target = std::string(target),
                           .headers = {{"Content-Type", "application/json"}},
                           .body = std::string(body)},
                          net::soon());
  }
  static int make(net::HttpClient& client, const std::string& name) {
    const auto answer = post(client, kConfigMaps,
                             R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name + "\"}}");
    return answer ? answer->status : 0;
  }

  net::IoPool io_;
  SystemClock clock_;
  SystemThreads threads_;
};

TEST_F(Servers, InOneProcessKeepWhatTheyHoldApart) {
  const auto west = started();
  const auto east = started();

  EXPECT_EQ(make(*client(*west), "a"), 201);

  EXPECT_EQ(status_of(*client(*west), std::string(kConfigMaps) + "/a"), 200);
  EXPECT_EQ(status_of(*client(*east), std::string(kConfigMaps) + "/a"), 404);
}

TEST_F(Servers, HaveEachAnAuthorityOfItsOwn) {
  const auto west = started();
  const auto east = started();

  const auto wrong_trust = get(*client(*east, *west, *east), "/version");

  EXPECT_EQ(status_of(*client(*east), "/version"), 200);
  ASSERT_FALSE(wrong_trust);
  EXPECT_EQ(wrong_trust.error().code, Code::Unauthorized);
  EXPECT_EQ(status_of(*client(*east, *east, *west), "/version"), 401);
}

TEST_F(Servers, KnowWhoAsksByTheCertificate) {
  const auto server = started();

  const auto self =
      net::value_of(post(*client(*server), kSelfReviews,
                         R"({"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"})"));

  EXPECT_EQ(self.status, 201);
  EXPECT_THAT(self.body, HasSubstr(R"("username":"admin")"));
  EXPECT_THAT(self.body, HasSubstr("system:masters"));
}

TEST_F(Servers, LetNobodyInWhileTheyRefuse) {
  const auto server = started();
  const auto asking = client(*server);
  ASSERT_EQ(status_of(*asking, "/version"), 200);

  server->refuse(true);
  EXPECT_FALSE(get(*asking, "/version"));
  server->refuse(false);

  EXPECT_EQ(status_of(*asking, "/version"), 200);
}

TEST_F(Servers, CutWhatIsOpenOnDemandAndAnswerAgainAtOnce) {
  const auto server = started();
  const auto asking = client(*server);
  ASSERT_EQ(make(*asking, "a"), 201);
  Watching watch(*asking, kConfigMaps);
  ASSERT_TRUE(watch.comes("ADDED"));

  server->drop_connections();

  ASSERT_TRUE(watch.ends());
  EXPECT_FALSE(watch.ended_well());
  EXPECT_EQ(status_of(*client(*server), "/version"), 200);
}

TEST_F(Servers, AnswerAsLateAsTheyAreTold) {
  const auto server = started();
  const auto asking = client(*server);

  server->slow_down(300ms);
  const SteadyTime before = clock_.steady_now();
  EXPECT_EQ(status_of(*asking, "/version"), 200);

  EXPECT_GE(clock_.steady_now() - before, 300ms);
}

TEST_F(Servers, ExpireTheirWatches) {
  const auto server = started();
  const auto asking = client(*server);
  ASSERT_EQ(make(*asking, "a"), 201);
  Watching watch(*asking, kConfigMaps);
  ASSERT_TRUE(watch.comes("ADDED"));

  server->expire_watches();

  EXPECT_TRUE(watch.comes(R"("code":410)"));
  EXPECT_TRUE(watch.ends());
}

}  // namespace
}  // namespace capstan::apiserver
