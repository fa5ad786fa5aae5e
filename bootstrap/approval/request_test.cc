#include "bootstrap/approval/request.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "bootstrap/approval/request_fixture.h"

namespace capstan::bootstrap::approval {
namespace {

namespace json = boost::json;
using testing::ElementsAre;

TEST(AgentRequest, IsReadWithItsSubject) {
  const auto request = read_request(signing_request("r1", kRequestOfM1, "system:bootstrap:abcdef"));

  ASSERT_TRUE(request);
  EXPECT_EQ(request->name, "r1");
  EXPECT_EQ(token_id_of(*request), "abcdef");
  EXPECT_EQ(node_of(*request), "");
  EXPECT_THAT(request->usages, ElementsAre("client auth"));
  EXPECT_FALSE(request->decided);
  EXPECT_EQ(identity_in(*request),
            (Identity{.namespace_ = "default", .machine = "m1", .node_config = "workers"}));
}

TEST(AgentRequest, IsNoneOfAnotherSignerOrSubject) {
  json::value kubelets = signing_request("r1", kRequestOfM1, "system:bootstrap:abcdef");
  kubelets.at("spec").as_object()["signerName"] = "kubernetes.io/kube-apiserver-client-kubelet";

  EXPECT_FALSE(read_request(kubelets));
  EXPECT_FALSE(read_request(signing_request("r1", "no request", "system:bootstrap:abcdef")));
  EXPECT_FALSE(read_request(json::object()));
}

TEST(AgentRequest, WithAlternativeNamesHasNoIdentity) {
  const auto request = read_request(signing_request("r1", kRequestWithNames, "system:bootstrap:abcdef"));

  ASSERT_TRUE(request);
  EXPECT_EQ(identity_in(*request), std::nullopt);
}

TEST(AgentRequest, OfASubjectThatSaysMoreOrOtherThingsHasNoIdentity) {
  const Request right = *read_request(signing_request("r1", kRequestOfM1, "x"));
  Request more = right;
  more.subject.subject_entries = 3;
  Request two_groups = right;
  two_groups.subject.organizations.push_back("system:masters");
  Request other_namespace = right;
  other_namespace.subject.organizations = {"capstan.dev:node-config:kube-system:workers"};
  Request longer = right;
  longer.subject.common_name += ":m2";

  for (const Request& wrong : {more, two_groups, other_namespace, longer})
    EXPECT_EQ(identity_in(wrong), std::nullopt);
}

TEST(AgentRequest, IsDecidedOnce) {
  json::value answered = signing_request("r1", kRequestOfM1, "x");
  answered.as_object()["status"] = decision_patch(Decision::Approve, "why", "1").at("status");
  json::value denied = signing_request("r1", kRequestOfM1, "x");
  denied.as_object()["status"] = decision_patch(Decision::Deny, "why", "1").at("status");

  EXPECT_TRUE(read_request(answered)->approved);
  EXPECT_TRUE(read_request(denied)->decided);
  EXPECT_FALSE(read_request(denied)->approved);
}

}  // namespace
}  // namespace capstan::bootstrap::approval
