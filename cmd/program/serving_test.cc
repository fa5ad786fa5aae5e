#include "cmd/program/serving.h"

#include <gmock/gmock.h>

namespace capstan::program {
namespace {

using ::testing::HasSubstr;

TEST(Serving, RequestsAreCountedByCodeAndMethodAndStayInTheScrape) {
  Metrics metrics;
  const auto count = count_requests(metrics, "https://127.0.0.1:6443");

  count({.method = "GET", .path = "/api", .status = 200});
  count({.method = "GET", .path = "/apis", .status = 200});
  count({.method = "PATCH", .path = "/apis", .status = 0});

  EXPECT_THAT(metrics.text(),
              HasSubstr(R"(rest_client_requests_total{code="200",host="127.0.0.1:6443",method="GET"} 2)"));
  EXPECT_THAT(
      metrics.text(),
      HasSubstr(R"(rest_client_requests_total{code="<error>",host="127.0.0.1:6443",method="PATCH"} 1)"));
}

TEST(Serving, TheOldestTlsIsWhatTheFlagSays) {
  EXPECT_EQ(oldest_tls("VersionTLS12"), net::TlsVersion::Tls12);
  EXPECT_EQ(oldest_tls("VersionTLS13"), net::TlsVersion::Tls13);
}

}  // namespace
}  // namespace capstan::program
