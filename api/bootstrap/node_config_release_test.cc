#include "api/bootstrap/node_config_release.h"

#include <gmock/gmock.h>

#include <limits>
#include <string>

namespace capstan::api::bootstrap {
namespace {

constexpr std::string_view kChecksum = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
constexpr std::uint32_t kAll = std::numeric_limits<std::uint32_t>::max();

TEST(NodeConfigRelease, ABoundLetsTheNodesUpToItApply) {
  const std::uint32_t place = place_in_release(kChecksum, "worker-1");
  EXPECT_TRUE(is_released(release_text(kChecksum, place), kChecksum, "worker-1"));
  EXPECT_FALSE(is_released(release_text(kChecksum, place - 1), kChecksum, "worker-1"));
  EXPECT_TRUE(is_released(release_text(kChecksum, kAll), kChecksum, "worker-1"));
}

TEST(NodeConfigRelease, ABoundOfAnotherChecksumReleasesNone) {
  EXPECT_FALSE(is_released(release_text("0", kAll), kChecksum, "worker-1"));
}

TEST(NodeConfigRelease, ATextThatIsNoReleaseReleasesNone) {
  const std::string whole = release_text(kChecksum, kAll);
  for (const std::string_view text : {"", " ", "all", "ffffffff"}) {
    EXPECT_FALSE(is_released(text, kChecksum, "worker-1")) << text;
  }
  EXPECT_FALSE(is_released(whole + "0", kChecksum, "worker-1"));
  EXPECT_FALSE(is_released(whole.substr(0, whole.size() - 1), kChecksum, "worker-1"));
}

TEST(NodeConfigRelease, EachChangeBeginsWithOtherNodes) {
  EXPECT_NE(place_in_release(kChecksum, "worker-1"), place_in_release("0", "worker-1"));
  EXPECT_NE(place_in_release(kChecksum, "worker-1"), place_in_release(kChecksum, "worker-2"));
}

TEST(NodeConfigRelease, SecretsOfTwoNamespacesHaveTwoNames) {
  EXPECT_NE(node_config_secret_name("a", "workers"), node_config_secret_name("b", "workers"));
  EXPECT_LE(node_config_secret_name("a", std::string(253, 'x')).size(), 253U);
}

}  // namespace
}  // namespace capstan::api::bootstrap
