#include "test/interop/explained.h"

#include <gmock/gmock.h>

#include <fstream>

#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Explained kList[] = {{.pattern = "^get leases .* 404$", .why = "the first manager makes it"},
                               {.pattern = "^watch .* 429$", .why = "busy", .sometimes = "a quick server"}};

TEST(Explained, ALineThatNoRowMatchesIsUnexplained) {
  EXPECT_THAT(unexplained({"get leases /a 404", "get pods /a 403", "watch machines /b 429"}, kList),
              ElementsAre("get pods /a 403"));
}

TEST(Explained, ARowThatMatchesNothingIsNeedless) {
  EXPECT_THAT(needless(kList, {"watch machines /b 429"}), ElementsAre("^get leases .* 404$"));
}

TEST(Explained, ARowThatComesOnlySometimesIsNotMissed) {
  EXPECT_THAT(needless(kList, {"get leases /a 404"}), IsEmpty());
}

Lines errors_in_a_log(const std::string& text) {
  auto folder = ScratchFolder::create();
  EXPECT_TRUE(folder) << folder.error().describe();
  if (!folder) return {};
  std::ofstream(folder->path() / "bootstrap-kubeadm.log") << text;
  return errors_logged_in(folder->path() / "bootstrap-kubeadm.log");
}

TEST(Explained, AnErrorLineOfOursStandsAsItIs) {
  EXPECT_THAT(errors_in_a_log("12:00 INFO started\n12:01 ERROR turn failed\n"),
              ElementsAre("12:01 ERROR turn failed"));
}

TEST(Explained, AnErrorLineOfKlogStandsBehindItsProgramWithoutItsTime) {
  EXPECT_THAT(errors_in_a_log("I1128 00:12:46.000001   12345 a.go:1] \"fine\"\n"
                              "E1128 00:12:47.123456   12345 controller.go:474] \"Reconciler error\"\n"
                              "W1128 00:12:48.000001   12345 a.go:2] \"nearly\"\n"
                              "Error is a word\n"),
              ElementsAre("bootstrap-kubeadm: controller.go:474] \"Reconciler error\""));
}

TEST(Explained, AnErrorOfKlogOverSeveralLinesIsOne) {
  EXPECT_THAT(errors_in_a_log("E1128 00:12:47.123456       7 a.go:1] \"failed\" err=<\n"
                              "\tfirst\n"
                              "\tsecond\n"
                              " > machine=\"m\"\n"
                              "I1128 00:12:47.123457       7 a.go:2] \"fine\"\n"),
              ElementsAre("bootstrap-kubeadm: a.go:1] \"failed\" err=< first second > machine=\"m\""));
}

AuditEntry patch_of(std::string agent, std::string group, int code) {
  return {.agent = std::move(agent),
          .verb = "patch",
          .resource = "machines",
          .group = std::move(group),
          .code = code,
          .uri = "/m"};
}

TEST(Explained, WhatIsRefusedToOthersStandsBehindTheirProgram) {
  const std::vector<AuditEntry> entries = {
      patch_of("control-plane-kubeadm", "cluster.x-k8s.io", 422),
      patch_of("core", "infrastructure.cluster.x-k8s.io", 500),
      patch_of("capstan", "cluster.x-k8s.io", 403),
  };
  EXPECT_THAT(refusals_of_others(entries),
              ElementsAre("control-plane-kubeadm: patch machines /m 422", "core: patch machines /m 500"));
  EXPECT_THAT(refusals_of_ours(entries), ElementsAre("patch machines /m 403"));
}

TEST(Explained, WhatOthersLoseToARaceOrReadOrAskOfOtherKindsIsNotRefused) {
  AuditEntry read = patch_of("core", "cluster.x-k8s.io", 403);
  read.verb = "get";
  EXPECT_THAT(refusals_of_others({patch_of("core", "cluster.x-k8s.io", 200),
                                  patch_of("core", "cluster.x-k8s.io", 404),
                                  patch_of("core", "cluster.x-k8s.io", 409), patch_of("core", "apps", 422),
                                  patch_of("core", "notcluster.x-k8s.io", 422), read}),
              IsEmpty());
}

TEST(Explained, ErrorsOfALogThatIsNotThereAreNone) {
  EXPECT_THAT(errors_logged_in("/nowhere/a.log"), IsEmpty());
}

}  // namespace
}  // namespace capstan::envtest
