#include "bootstrap/nodeconfig/rights.h"

#include <gmock/gmock.h>

#include "bootstrap/nodeconfig/content.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

namespace json = boost::json;
using testing::HasSubstr;

const api::ObjectKey kWorkers = {.namespace_ = "default", .name = "workers"};

TEST(AgentRights, AreToReadOneSecretAndToAskForCertificates) {
  const auto rights = rights_of(kWorkers);

  ASSERT_EQ(rights.size(), 3U);
  EXPECT_EQ(json::serialize(rights[0].object.at("rules")),
            R"([{"apiGroups":[""],"resources":["secrets"],"resourceNames":[")" + secret_key(kWorkers).name +
                R"("],"verbs":["get","list","watch"]}])");
  EXPECT_EQ(rights[0].key, secret_key(kWorkers));
  EXPECT_EQ(rights[1].object.at("roleRef").at("name").as_string(), secret_key(kWorkers).name);
  EXPECT_THAT(json::serialize(rights[1].object.at("subjects")),
              HasSubstr("\"capstan.dev:node-config:default:workers\""));
  EXPECT_EQ(rights[2].object.at("roleRef").at("name"), "system:node-bootstrapper");
  EXPECT_EQ(rights[2].key.namespace_, "");
}

TEST(AgentRights, AreJudgedByRulesSubjectsAndLabels) {
  const auto rights = rights_of(kWorkers);
  json::object wider = rights[0].object;
  wider["rules"] = json::array{json::object{{"verbs", json::array{"*"}}}};
  json::object unlabelled = rights[1].object;
  unlabelled["metadata"] = json::object{{"name", rights[1].key.name}};
  json::object foreign = rights[2].object;
  foreign["roleRef"] = json::object{{"name", "cluster-admin"}};

  for (const Right& right : rights) EXPECT_EQ(state_of(right, right.object), RightState::Right);
  EXPECT_EQ(state_of(rights[0], wider), RightState::Altered);
  EXPECT_EQ(state_of(rights[1], unlabelled), RightState::Altered);
  EXPECT_EQ(state_of(rights[2], foreign), RightState::Foreign);
  EXPECT_EQ(repair_patch(rights[0]).at("rules"), rights[0].object.at("rules"));
  EXPECT_EQ(repair_patch(rights[1]).at("subjects"), rights[1].object.at("subjects"));
}

}  // namespace
}  // namespace capstan::bootstrap::nodeconfig
