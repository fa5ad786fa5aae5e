#include "kube/missing_right.h"

#include <gtest/gtest.h>

namespace capstan::kube {
namespace {

constexpr std::string_view kOfRbac =
    R"({"kind":"Status","message":"machines.cluster.x-k8s.io \"m\" is forbidden: User \"system:serviceaccount:capi-system:capi-manager\" )"
    R"(cannot patch resource \"machines/status\" in API group \"cluster.x-k8s.io\" in the namespace \"default\"","reason":"Forbidden","code":403})";
constexpr std::string_view kOfAWebhook =
    R"({"kind":"Status","message":"admission webhook \"default.machine.cluster.x-k8s.io\" denied the request: it cannot be","code":403})";

TEST(MissingRule, IsTheOneThatTheRefusalNames) {
  EXPECT_EQ(missing_rule({.method = "PATCH", .path = "/apis/x", .status = 403, .refusal = kOfRbac}),
            R"({apiGroups: ["cluster.x-k8s.io"], resources: ["machines/status"], verbs: ["patch"]})");
}

TEST(MissingRule, OfAListIsTakenFromItsPath) {
  EXPECT_EQ(missing_rule({.method = "GET",
                          .path = "/apis/cluster.x-k8s.io/v1beta2/namespaces/default/machines",
                          .status = 403,
                          .stream = true}),
            R"({apiGroups: ["cluster.x-k8s.io"], resources: ["machines"], verbs: ["list", "watch"]})");
  EXPECT_EQ(missing_rule({.method = "GET", .path = "/api/v1/nodes", .status = 403, .stream = true}),
            R"({apiGroups: [""], resources: ["nodes"], verbs: ["list", "watch"]})");
}

TEST(MissingRule, IsNotGuessedWhereAWebhookRefused) {
  EXPECT_FALSE(missing_rule({.method = "PATCH", .path = "/apis/x", .status = 403, .refusal = kOfAWebhook}));
}

TEST(MissingRule, IsNoneWhereNothingWasForbidden) {
  EXPECT_FALSE(missing_rule({.method = "PATCH", .path = "/apis/x", .status = 404, .refusal = kOfRbac}));
  EXPECT_FALSE(missing_rule({.method = "GET", .path = "/", .status = 403, .stream = true}));
}

}  // namespace
}  // namespace capstan::kube
