#include "test/envtest/webhook_urls.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

namespace capstan::envtest {
namespace {

namespace json = boost::json;

constexpr WebhookListener kListener = {.base_url = "https://127.0.0.1:9443", .ca_pem = "CA"};

json::value rewritten(std::string_view document) {
  json::value read = json::parse(document);
  call_urls(read, kListener);
  return read;
}

TEST(WebhookUrls, EveryServiceOfAConfigurationBecomesTheUrlOfItsPath) {
  const auto configuration = rewritten(
      R"({"webhooks": [{"clientConfig": {"service": {"name": "s", "namespace": "n", "path": "/a"}}},
                       {"clientConfig": {"service": {"path": "/b"}, "caBundle": "b2xk"}}]})");

  EXPECT_EQ(configuration,
            json::parse(
                R"({"webhooks": [{"clientConfig": {"url": "https://127.0.0.1:9443/a", "caBundle": "Q0E="}},
                       {"clientConfig": {"url": "https://127.0.0.1:9443/b", "caBundle": "Q0E="}}]})"));
}

TEST(WebhookUrls, TheConversionOfACrdIsReached) {
  const auto crd = rewritten(
      R"({"spec": {"conversion": {"webhook": {"clientConfig": {"service": {"path": "/convert"}}}}}})");

  EXPECT_EQ(crd.at_pointer("/spec/conversion/webhook/clientConfig/url"), "https://127.0.0.1:9443/convert");
}

TEST(WebhookUrls, AUrlStaysAsItIs) {
  const auto before = R"({"clientConfig": {"url": "https://elsewhere/x", "caBundle": "b2xk"}})";

  EXPECT_EQ(rewritten(before), json::parse(before));
}

}  // namespace
}  // namespace capstan::envtest
