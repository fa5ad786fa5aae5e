#include "controllers/crdmigration/rights.h"

#include <gmock/gmock.h>

#include "test/fakes/scripted_client.h"

namespace capstan::controllers::crdmigration {
namespace {

namespace json = boost::json;

const kube::Resource kSets{
    .group = "cluster.x-k8s.io", .version = "v1beta2", .plural = "machinesets", .kind = "MachineSet"};

// An API server that answers as the test says, and what it was asked.
struct Asked {
  fakes::ScriptedClient client = {};
  std::vector<std::string> attributes = {};

  explicit Asked(fakes::ScriptedClient::Object answer) {
    client.on_create = [this, answer](const kube::Resource& resource, const kube::ObjectKey&,
                                      const json::value& body) {
      EXPECT_EQ(resource.plural, "selfsubjectaccessreviews");
      attributes.push_back(json::serialize(body.at_pointer("/spec/resourceAttributes")));
      return answer;
    };
  }
  bool lacks(const std::string& subresource) {
    return Rights(client, kSets, Deadline::never()).lacks_patch(subresource);
  }
};

json::value allowed(bool yes) { return {{"status", {{"allowed", yes}}}}; }

TEST(Rights, AreMissingWhereTheServerDeniesThemOrTheQuestion) {
  EXPECT_TRUE(Asked(allowed(false)).lacks("status"));
  EXPECT_TRUE(Asked(fail(Code::Forbidden, "may not ask")).lacks("status"));
}

TEST(Rights, AreHeldWhenTheServerSaysSoOrDoesNotAnswer) {
  EXPECT_FALSE(Asked(allowed(true)).lacks("status"));
  EXPECT_FALSE(Asked(json::value{{"status", json::object()}}).lacks("status"));
  EXPECT_FALSE(Asked(fail(Code::Unavailable, "down")).lacks("status"));
}

TEST(Rights, AreAskedForOnceForEachWayOfWriting) {
  Asked server(allowed(false));
  Rights rights(server.client, kSets, Deadline::never());

  for (const char* subresource : {"status", "", "status", ""}) EXPECT_TRUE(rights.lacks_patch(subresource));

  EXPECT_THAT(
      server.attributes,
      testing::ElementsAre(
          R"({"verb":"patch","group":"cluster.x-k8s.io","resource":"machinesets","subresource":"status"})",
          R"({"verb":"patch","group":"cluster.x-k8s.io","resource":"machinesets","subresource":""})"));
}

}  // namespace
}  // namespace capstan::controllers::crdmigration
