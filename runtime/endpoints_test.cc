#include "runtime/endpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "net/http_client.h"
#include "net/io_pool.h"

namespace capstan::runtime {
namespace {

using testing::HasSubstr;

net::ServerRequest get(std::string target) { return {.method = "GET", .target = std::move(target)}; }

class EndpointsTest : public testing::Test {
 protected:
  net::IoPool io_{1};
  Metrics metrics_;
  Endpoints endpoints_{io_, metrics_, {}};
};

TEST_F(EndpointsTest, IsHealthyWhileNotYetReady) {
  endpoints_.add_check(
      {.name = "machines", .problem = [] { return std::optional<std::string>("not synced"); }});

  EXPECT_EQ(endpoints_.probe("/healthz").status, 200);
  EXPECT_EQ(endpoints_.probe("/readyz").status, 503);
}

TEST_F(EndpointsTest, NamesWhatIsNotReady) {
  endpoints_.add_check({.name = "clusters", .problem = [] { return std::optional<std::string>(); }});
  endpoints_.add_check(
      {.name = "machines", .problem = [] { return std::optional<std::string>("not synced"); }});

  EXPECT_EQ(endpoints_.probe("/readyz").body, "machines: not synced\n");
}

TEST_F(EndpointsTest, RefreshesGaugesBeforeAScrape) {
  const auto gauge = metrics_.gauges("test_depth", "how deep").with({});
  endpoints_.before_scrape([gauge] { gauge.set(7); });

  EXPECT_THAT(endpoints_.diagnose(get("/metrics"), true).body, HasSubstr("test_depth 7"));
}

TEST_F(EndpointsTest, TellsWhatTheProcessUsesInEveryScrape) {
  const std::string scrape = endpoints_.diagnose(get("/metrics"), true).body;

  EXPECT_THAT(scrape, HasSubstr("process_cpu_seconds_total "));
  EXPECT_THAT(scrape, HasSubstr("process_resident_memory_bytes "));
}

TEST_F(EndpointsTest, KeepsDebugPagesFromStrangers) {
  endpoints_.add_page({.name = "queues", .content = [] { return boost::json::value(boost::json::array{}); }});

  EXPECT_EQ(endpoints_.diagnose(get("/debug/queues"), true).status, 404);
  EXPECT_EQ(endpoints_.diagnose(get("/debug/queues"), false).body, "[]\n");
}

TEST_F(EndpointsTest, ListsItsDebugPages) {
  endpoints_.add_page({.name = "queues", .content = [] { return boost::json::value(nullptr); }});

  EXPECT_EQ(endpoints_.diagnose(get("/debug"), false).body, "[\"/debug/queues\"]\n");
}

TEST_F(EndpointsTest, ChangesASettingByPutAlone) {
  std::string given;
  endpoints_.add_setting({.name = "flags/v", .put = [&](std::string_view body) -> Result<std::string> {
                            if (body.empty()) return fail(Code::Invalid, "expected a number");
                            given = body;
                            return "set";
                          }});
  const auto ask = [&](std::string method, std::string body, bool metrics_only = false) {
    return endpoints_.diagnose(
        {.method = std::move(method), .target = "/debug/flags/v", .body = std::move(body)}, metrics_only);
  };

  EXPECT_EQ(ask("PUT", "4").body, "set");
  EXPECT_EQ(given, "4");
  EXPECT_EQ(ask("PUT", "").status, 400);
  EXPECT_EQ(ask("GET", "").status, 406);
  EXPECT_EQ(ask("POST", "5").status, 406);
  EXPECT_EQ(ask("PUT", "5", true).status, 405) << "not without authentication";
  EXPECT_EQ(given, "4");
}

TEST_F(EndpointsTest, AsksTheGatekeeperBeforeASettingIsChanged) {
  bool changed = false;
  endpoints_.add_setting({.name = "flags/v", .put = [&](std::string_view) -> Result<std::string> {
                            changed = true;
                            return "set";
                          }});
  ASSERT_TRUE(
      endpoints_.serve_diagnostics({.host = "127.0.0.1"}, nullptr,
                                   [](const net::ServerRequest& request) -> std::optional<net::HttpResponse> {
                                     if (request.method == "GET") return {};
                                     return net::HttpResponse{.status = 403, .body = "Authorization denied"};
                                   }));
  net::HttpClient client(io_, {.origin = {.scheme = "http",
                                          .host = "127.0.0.1",
                                          .port = std::to_string(endpoints_.diagnostics_port())}});

  const auto answer = client.request({.method = "PUT", .target = "/debug/flags/v", .body = "4"},
                                     Deadline::in(SystemClock(), std::chrono::seconds(10)));

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 403);
  EXPECT_FALSE(changed);
}

TEST_F(EndpointsTest, AnswersOverASocketOfItsOwn) {
  ASSERT_TRUE(endpoints_.serve_probes({.host = "127.0.0.1"}));
  net::HttpClient client(
      io_,
      {.origin = {.scheme = "http", .host = "127.0.0.1", .port = std::to_string(endpoints_.probes_port())}});

  const auto answer =
      client.request({.target = "/readyz"}, Deadline::in(SystemClock(), std::chrono::seconds(10)));

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->body, "ok");
}

TEST_F(EndpointsTest, LetsTheGatekeeperRefuse) {
  ASSERT_TRUE(endpoints_.serve_diagnostics({.host = "127.0.0.1"}, nullptr, [](const net::ServerRequest&) {
    return std::optional<net::HttpResponse>({.status = 401, .body = "Unauthorized"});
  }));
  net::HttpClient client(io_, {.origin = {.scheme = "http",
                                          .host = "127.0.0.1",
                                          .port = std::to_string(endpoints_.diagnostics_port())}});

  const auto answer =
      client.request({.target = "/metrics"}, Deadline::in(SystemClock(), std::chrono::seconds(10)));

  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 401);
}

}  // namespace
}  // namespace capstan::runtime
