#include "agent/root.h"

#include <gmock/gmock.h>

#include "agent/checksum.h"
#include "agent/machine_fixture.h"

namespace capstan::agent {
namespace {

using ::testing::HasSubstr;
namespace fs = std::filesystem;

class RootTest : public ::testing::Test {
 protected:
  ScratchRoot scratch_;
  MortalThreads threads_;
  Root root_ = *Root::open(scratch_.folder(), threads_);
};

TEST_F(RootTest, WritesAFileWithItsModeAndFolders) {
  ASSERT_TRUE(root_.write("/etc/containerd/config.toml", "version = 2\n", own_mark(0640)));

  EXPECT_EQ(scratch_.text("/etc/containerd/config.toml"), "version = 2\n");
  EXPECT_EQ(scratch_.mode("/etc/containerd/config.toml"), 0640U);
  EXPECT_EQ(root_.facts("/etc/containerd/config.toml")->value(),
            (FileFacts{.checksum = checksum_of("version = 2\n"), .mark = own_mark(0640)}));
}

TEST_F(RootTest, SaysWhatIsNotThere) {
  EXPECT_EQ(*root_.read("/etc/none"), std::nullopt);
  EXPECT_EQ(*root_.facts("/no/folder/file"), std::nullopt);
  EXPECT_FALSE(root_.exists("/etc/none"));
  EXPECT_TRUE(root_.remove("/no/folder/file"));
}

TEST_F(RootTest, LinksAndDotsLeadNowhereOutside) {
  ScratchRoot outside;
  outside.put("/secret", "outside");
  fs::create_directories(scratch_.at("/etc"));
  fs::create_directory_symlink(outside.folder(), scratch_.at("/etc/out"));
  fs::create_directory_symlink("../../../../../../../../../../" + outside.folder(), scratch_.at("/etc/up"));

  EXPECT_EQ(root_.read("/etc/out/secret").value_or(std::nullopt), std::nullopt);
  EXPECT_EQ(root_.read("/../../../../../.." + outside.folder() + "/secret").value_or(std::nullopt),
            std::nullopt);
  static_cast<void>(root_.write("/etc/out/secret", "ours", own_mark()));
  static_cast<void>(root_.write("/etc/up/secret", "ours", own_mark()));
  static_cast<void>(root_.remove("/etc/out/secret"));

  EXPECT_EQ(outside.tree(), (std::map<std::string, std::string>{{"/secret", "outside"}}));
}

TEST_F(RootTest, ALinkInPlaceOfAFileIsReplacedNotFollowed) {
  scratch_.put("/target", "theirs");
  fs::create_symlink("target", scratch_.at("/link"));

  EXPECT_EQ(root_.facts("/link")->value().checksum, "");
  ASSERT_TRUE(root_.write("/link", "ours", own_mark()));

  EXPECT_EQ(scratch_.text("/target"), "theirs");
  EXPECT_FALSE(fs::is_symlink(scratch_.at("/link")));
}

TEST_F(RootTest, FollowsLinksInsideWhenItReads) {
  scratch_.put("/var/lib/kubelet/pki/kubelet-client-1.pem", "pem");
  fs::create_symlink("/var/lib/kubelet/pki/kubelet-client-1.pem",
                     scratch_.at("/var/lib/kubelet/pki/kubelet-client-current.pem"));

  EXPECT_EQ(root_.read("/var/lib/kubelet/pki/kubelet-client-current.pem")->value(), "pem");
}

TEST_F(RootTest, AFullDiskLeavesTheFileInForceWhole) {
  scratch_.put("/etc/a", "old");
  const FullDisk full(1000);

  const auto written = root_.write("/etc/a", std::string(5000, 'x'), own_mark());

  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("/etc/a: write:"));
  EXPECT_EQ(scratch_.tree(), (std::map<std::string, std::string>{{"/etc/a", "old"}}));
}

TEST_F(RootTest, WhatAKilledProcessLeftIsNotInTheWay) {
  scratch_.put("/etc/a", "old");
  threads_.dies_at = 2;  // written, not in force
  EXPECT_THROW(static_cast<void>(root_.write("/etc/a", "new", own_mark())), SimulatedCrash);
  EXPECT_EQ(scratch_.text("/etc/a"), "old");

  ASSERT_TRUE(root_.write("/etc/a", "new", own_mark()));

  EXPECT_EQ(scratch_.tree(), (std::map<std::string, std::string>{{"/etc/a", "new"}}));
}

TEST_F(RootTest, ALargeFileIsReadAgainWhenItChanged) {
  const std::string large(2 << 20, 'a');
  ASSERT_TRUE(root_.write("/kubelet", large, own_mark()));
  ASSERT_EQ(root_.facts("/kubelet")->value().checksum, checksum_of(large));

  ASSERT_TRUE(root_.write("/kubelet", large + "b", own_mark()));

  EXPECT_EQ(root_.facts("/kubelet")->value().checksum, checksum_of(large + "b"));
}

TEST_F(RootTest, ASecondHolderOfTheLockIsToldWhoHasIt) {
  const auto first = root_.lock("/var/lib/capstan-agent/lock");
  ASSERT_TRUE(first);

  const auto second = root_.lock("/var/lib/capstan-agent/lock");

  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Code::Conflict);
  EXPECT_THAT(second.error().message, HasSubstr("another capstan-agent runs on this machine"));
}

}  // namespace
}  // namespace capstan::agent
