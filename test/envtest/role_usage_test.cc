#include "test/envtest/role_usage.h"
#include "test/envtest/package_roles.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

namespace capstan::envtest {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> unused(std::string_view rules, const std::vector<AuditEntry>& entries) {
  return unused_permissions(json::parse(rules), entries);
}

TEST(RoleUsage, AVerbThatWasNotUsedOnAResourceIsNamed) {
  const auto rules = R"([{"apiGroups": ["g"], "resources": ["a", "b"], "verbs": ["patch", "list"]}])";

  const auto left = unused(rules, {{.verb = "patch", .resource = "a", .group = "g"},
                                   {.verb = "list", .resource = "b", .group = "g"},
                                   {.verb = "patch", .resource = "b", .group = "other"}});

  EXPECT_THAT(left, ElementsAre("list a.g", "patch b.g"));
}

TEST(RoleUsage, GetAndWatchGoWithList) {
  const auto rules = R"([{"apiGroups": ["g"], "resources": ["a", "b"], "verbs": ["get", "list", "watch"]}])";

  const auto left = unused(rules, {{.verb = "list", .resource = "a", .group = "g"}});

  EXPECT_THAT(left, ElementsAre("get b.g", "list b.g", "watch b.g"));
}

TEST(RoleUsage, ASubresourceIsAResourceOfItsOwn) {
  const auto rules = R"([{"apiGroups": [""], "resources": ["pods", "pods/status"], "verbs": ["patch"]}])";

  EXPECT_THAT(unused(rules, {{.verb = "patch", .resource = "pods"}}), ElementsAre("patch pods/status"));
}

TEST(RoleUsage, AnApplyThatMadeTheObjectNeededTheRightToCreate) {
  const auto rules = R"([{"apiGroups": ["g"], "resources": ["a", "b"], "verbs": ["create"]}])";

  const auto left = unused(rules, {{.verb = "patch", .resource = "a", .group = "g", .code = 201},
                                   {.verb = "patch", .resource = "b", .group = "g", .code = 200}});

  EXPECT_THAT(left, ElementsAre("create b.g"));
}

TEST(RoleUsage, AStarIsUsedByAnyResourceOfItsGroup) {
  const auto rules = R"([{"apiGroups": ["g", "h"], "resources": ["*"], "verbs": ["create"]}])";

  const auto left = unused(rules, {{.verb = "create", .resource = "things", .group = "g"}});

  EXPECT_THAT(left, ElementsAre("create *.h"));
}

TEST(RoleUsage, AnExcuseOfWhatIsUsedByNowIsLeftOver) {
  EXPECT_THAT(without({"get a", "list a"}, {"get a", "get b"}), ElementsAre("list a"));
  EXPECT_THAT(without({"get a", "get b"}, {"get a", "list a"}), ElementsAre("get b"));
}

TEST(Forbidden, NamesWhatOurProgramsUnderAccountsOfThePackagesWereRefusedAndNothingElse) {
  const AuditEntry ours{.user = "system:serviceaccount:capstan-beside-system:capstan-beside-manager",
                        .agent = "capstan",
                        .verb = "patch",
                        .code = 403,
                        .uri = "/apis/a"};
  AuditEntry upstreams = ours;
  upstreams.agent = "core";
  AuditEntry admins = ours;
  admins.user = "admin";
  AuditEntry lost = ours;
  lost.code = 404;

  EXPECT_THAT(
      forbidden_to_installed({upstreams, ours, admins, lost}),
      ElementsAre("system:serviceaccount:capstan-beside-system:capstan-beside-manager: patch /apis/a"));
}

TEST(RoleUsage, AnAggregatedRoleWithoutRulesLacksNothing) { EXPECT_THAT(unused("[]", {}), IsEmpty()); }

}  // namespace
}  // namespace capstan::envtest
