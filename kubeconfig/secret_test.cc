#include "kubeconfig/secret.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/base64.h"
#include "kube/stub_client.h"
#include "kubeconfig/access.h"

namespace capstan::kubeconfig {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kText = "clusters: [{name: a, cluster: {server: 'https://a'}}]";

class OneSecret final : public kube::StubClient {
 public:
  Result<json::value> get(const kube::Resource& resource, const kube::ObjectKey& key,
                          const Deadline&) override {
    asked = resource.plural + " " + key.describe();
    return answer;
  }
  Result<json::value> answer = fail(Code::NotFound, "not found");
  std::string asked;
};

TEST(KubeconfigSecret, IsWrittenAsTheContractWants) {
  const json::value object = secret_object({"ns", "c1"}, {"cluster.x-k8s.io/v1beta2", "Cluster", "c1", "u"},
                                           Secret<std::string>(std::string(kText)));

  EXPECT_EQ(object.at("metadata").at("name"), json::value("c1-kubeconfig"));
  EXPECT_EQ(object.at("metadata").at("labels").at("cluster.x-k8s.io/cluster-name"), json::value("c1"));
  EXPECT_EQ(object.at("metadata").at("ownerReferences").at(0).at("kind"), json::value("Cluster"));
  EXPECT_EQ(object.at("type"), json::value("cluster.x-k8s.io/secret"));
  EXPECT_EQ(object.at("data").at("value"), json::value(base64_encode(kText)));
}

TEST(KubeconfigSecret, IsReadByItsName) {
  OneSecret client;
  client.answer = secret_object({"ns", "c1"}, {}, Secret<std::string>(std::string(kText)));

  const auto secret = read(client, {"ns", "c1"}, Deadline::never());

  ASSERT_TRUE(secret) << secret.error().message;
  EXPECT_EQ(kubeconfig_in(*secret)->clusters.at(0).server, "https://a");
  EXPECT_EQ(client.asked, "secrets ns/c1-kubeconfig");
}

TEST(KubeconfigSecret, SaysWhichSecretIsMissingOrWrong) {
  OneSecret client;
  const auto missing = read_access(client, {"ns", "c1"}, Deadline::never());
  client.answer = json::parse(
      R"({"apiVersion":"v1","kind":"Secret","metadata":{"namespace":"ns","name":"c1-kubeconfig"}})");
  const auto keyless = read_access(client, {"ns", "c1"}, Deadline::never());
  client.answer = secret_object({"ns", "c1"}, {}, Secret<std::string>("token: [s3cr3t"));
  const auto garbage = read_access(client, {"ns", "c1"}, Deadline::never());

  EXPECT_EQ(missing.error().code, Code::NotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("ns/c1-kubeconfig"));
  EXPECT_THAT(keyless.error().message, HasSubstr("no key \"value\""));
  EXPECT_THAT(garbage.error().message,
              ::testing::AllOf(HasSubstr("ns/c1-kubeconfig"), Not(HasSubstr("s3cr3t"))));
}

}  // namespace
}  // namespace capstan::kubeconfig
