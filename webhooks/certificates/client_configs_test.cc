#include "webhooks/certificates/client_configs.h"

#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "webhooks/certificates/cluster_fixture.h"

namespace capstan::webhooks::certificates {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

const TargetName kDefinition = target_names().front();
const Reached kReached{.namespace_ = "capi-system", .hosts = {"127.0.0.1"}};

json::value url_config(std::string_view url) { return {{"url", url}}; }

std::size_t bundles_in(const json::value& config) {
  return read_target(kDefinition, a_definition(config), kReached).bundles.size();
}

TEST(ClientConfigs, AreOursByServiceOrByTheHostOfTheirUrl) {
  EXPECT_EQ(bundles_in(service_config()), 1U);
  EXPECT_EQ(bundles_in(url_config("https://127.0.0.1:9443/convert")), 1U);

  EXPECT_EQ(bundles_in(url_config("https://127.0.0.2:9443/convert")), 0U);
  EXPECT_EQ(bundles_in(url_config("127.0.0.1")), 0U);
  EXPECT_EQ(bundles_in({{"service", {{"name", kService}, {"namespace", "other"}}}}), 0U);
  EXPECT_EQ(bundles_in({{"service", {{"name", "other"}, {"namespace", "capi-system"}}}}), 0U);
  EXPECT_EQ(bundles_in(json::object()), 0U);
  EXPECT_EQ(bundles_in(nullptr), 0U);
}

TEST(ClientConfigs, OfAKindThatIsNotConvertedAreNone) {
  json::value definition = a_definition(service_config());
  definition.at_pointer("/spec/conversion/strategy") = "None";

  EXPECT_THAT(read_target(kDefinition, definition, kReached).bundles, IsEmpty());
}

TEST(ClientConfigs, HoldNoBundleWhenItCanNotBeDecoded) {
  json::value config = service_config();
  config.as_object()["caBundle"] = "%";

  const auto target = read_target(kDefinition, a_definition(config), kReached);

  ASSERT_THAT(target.bundles, SizeIs(1));
  EXPECT_EQ(target.bundles.front().pem, "");
}

TEST(ClientConfigs, AreWrittenForTheVersionThatWasRead) {
  json::value definition = a_definition(service_config());
  definition.at_pointer("/metadata").as_object()["resourceVersion"] = "7";

  const auto patch = bundle_patch(read_target(kDefinition, definition, kReached), "pem");

  EXPECT_EQ(json::serialize(patch),
            R"([{"op":"replace","path":"/metadata/resourceVersion","value":"7"},)"
            R"({"op":"add","path":"/spec/conversion/webhook/clientConfig/caBundle","value":"cGVt"}])");
}

TEST(ClientConfigs, OfAnObjectWithoutOursKeepTheAnnotation) {
  json::value definition = a_definition(url_config("https://other/convert"));
  definition.at_pointer("/metadata/annotations").as_object()[annotation::kInjectedFrom] = "a/b";

  EXPECT_FALSE(read_target(kDefinition, definition, kReached).injected);
}

TEST(ServedNames, AreThoseOfTheServiceAndTheHosts) {
  const auto names = served_names({.namespace_ = "ns", .hosts = {"127.0.0.1", "::1", "manager.example"}});

  EXPECT_THAT(names.dns, ElementsAre("capi-webhook-service.ns.svc",
                                     "capi-webhook-service.ns.svc.cluster.local", "manager.example"));
  EXPECT_THAT(names.addresses, ElementsAre("127.0.0.1", "::1"));
}

std::string file(const std::string& path) {
  std::ifstream in(path);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(Names, AreThoseOfTheRoleAndTheManifests) {
  const std::string role = file("config/self-managed/role.yaml");
  for (const TargetName& name : target_names()) EXPECT_THAT(role, HasSubstr(name.key.name));
  EXPECT_THAT(file("config/webhook/service.yaml"), HasSubstr("name: " + std::string(kService) + "\n"));
  EXPECT_THAT(file("config/webhook/mutating.yaml"), HasSubstr("name: " + std::string(kMutating) + "\n"));
  EXPECT_THAT(file("config/webhook/validating.yaml"), HasSubstr("name: " + std::string(kValidating) + "\n"));
}

}  // namespace
}  // namespace capstan::webhooks::certificates
