#include "runtime/endpoints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "net/io_pool.h"

namespace capstan::runtime {
namespace {

using testing::HasSubstr;

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

  EXPECT_THAT(endpoints_.diagnose("/metrics", true).body, HasSubstr("test_depth 7"));
}

TEST_F(EndpointsTest, TellsWhatTheProcessUsesInEveryScrape) {
  const std::string scrape = endpoints_.diagnose("/metrics", true).body;

  EXPECT_THAT(scrape, HasSubstr("process_cpu_seconds_total "));
  EXPECT_THAT(scrape, HasSubstr("process_resident_memory_bytes "));
}

TEST_F(EndpointsTest, KeepsDebugPagesFromStrangers) {
  endpoints_.add_page({.name = "queues", .content = [] { return boost::json::value(boost::json::array{}); }});

  EXPECT_EQ(endpoints_.diagnose("/debug/queues", true).status, 404);
  EXPECT_EQ(endpoints_.diagnose("/debug/queues", false).body, "[]\n");
}

TEST_F(EndpointsTest, ListsItsDebugPages) {
  endpoints_.add_page({.name = "queues", .content = [] { return boost::json::value(nullptr); }});

  EXPECT_EQ(endpoints_.diagnose("/debug", false).body, "[\"/debug/queues\"]\n");
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
