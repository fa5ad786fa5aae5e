#include "bootstrap/nodeconfig/content.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "base/base64.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

namespace json = boost::json;

const api::ObjectKey kWorkers = {.namespace_ = "default", .name = "workers"};

api::NodeConfigSpec a_spec() {
  api::NodeConfigSpec spec;
  spec.cluster_name = "c1"_text;
  spec.files.push_back({.path = "/etc/a"_text, .content = FreeText("a\n")});
  return spec;
}

TEST(NodeConfigContent, IsTheSpecWithItsChecksum) {
  const Content content = content_of(a_spec());

  EXPECT_EQ(content.text, R"({"clusterName":"c1","files":[{"path":"/etc/a","content":"a\n"}]})");
  EXPECT_EQ(content.checksum, "d0b99e4334cd94d1daa708790090f4458c94febcdbe485625d1c1bce4b0a2336");
}

TEST(NodeConfigContent, DoesNotChangeWithWhatNoNodeAsksAbout) {
  api::NodeConfigSpec spec = a_spec();
  spec.agent = api::NodeConfigAgent{.url = "https://example.com/agent"_text};
  spec.apply.max_failed = 5;

  EXPECT_EQ(content_of(spec), content_of(a_spec()));

  spec.apply.max_delay_seconds = 10;
  EXPECT_NE(content_of(spec), content_of(a_spec()));
}

TEST(NodeConfigContent, IsFoundAgainInItsSecret) {
  const Content content = content_of(a_spec());
  const Release release{.text = "x 0", .since = Time::from_unix(1'000'000)};
  json::value secret = secret_object(kWorkers, content, release);

  EXPECT_TRUE(seen_in(secret, kWorkers, content).right);
  EXPECT_EQ(seen_in(secret, kWorkers, content).release, release);
  EXPECT_EQ(secret.at("data").at("checksum").as_string(), base64_encode(content.checksum));

  secret.at("data").as_object()["config.json"] = base64_encode("{}");
  EXPECT_FALSE(seen_in(secret, kWorkers, content).right);
}

}  // namespace
}  // namespace capstan::bootstrap::nodeconfig
