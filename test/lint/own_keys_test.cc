#include <gmock/gmock.h>

#include <algorithm>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kNames = R"(// Names.
#pragma once
namespace capstan::api {
namespace annotation {
inline constexpr std::string_view kVictims = "capstan.dev/victims";
inline constexpr std::string_view kPaused = "cluster.x-k8s.io/paused";
}  // namespace annotation
namespace finalizer {
inline constexpr std::string_view kVictims = "victims.capstan.dev";
}  // namespace finalizer
namespace tag {
inline constexpr std::string_view kName = "capstan.dev/name";
}  // namespace tag
inline constexpr std::string_view kGroup = "policy.capstan.dev";
}  // namespace capstan::api
)";

std::vector<std::string> with_list(const std::string& entries) {
  Tree tree;
  tree.files.push_back(SourceFile::of("api/names.h", std::string(kNames)));
  tree.files.push_back(SourceFile::of("cmd/manager/cleanup_keys.cc",
                                      "constexpr std::array kOwnKeys = {\n" + entries + "};\n"));
  std::vector<std::string> lines;
  for (const Finding& finding : check_own_keys(tree)) lines.push_back(finding.describe());
  return lines;
}

TEST(OwnKeys, ThatCleanupTakesOffAreFine) {
  EXPECT_THAT(with_list("    api::annotation::kVictims,\n    api::finalizer::kVictims,\n"), IsEmpty());
}

TEST(OwnKeys, ThatCleanupWouldLeaveBehindAreFoundAlsoWhereAnotherHasTheSameName) {
  EXPECT_THAT(with_list("    api::annotation::kVictims,\n"),
              ElementsAre("api/names.h:9: own-keys: victims.capstan.dev is not in "
                          "cmd/manager/cleanup_keys.cc: `capstan cleanup` would leave it behind"));
}

TEST(OwnKeys, OfAListThatIsGoneAreAllFound) {
  Tree tree;
  tree.files.push_back(SourceFile::of("api/names.h", std::string(kNames)));

  EXPECT_EQ(check_own_keys(tree).size(), 2U);
}

}  // namespace
}  // namespace capstan::lint
