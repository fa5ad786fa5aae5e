#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

// The one that counts: this repository keeps its own rules.
TEST(Repository, KeepsTheRulesOfTheHouse) {
  const Tree tree = Tree::read(std::filesystem::current_path());
  ASSERT_NE(tree.find("base/result.h"), nullptr) << "run it from the root of the repository";

  for (const Finding& finding : check_all(tree)) ADD_FAILURE() << finding.describe();
}

class ScratchTree : public testing::Test {
 protected:
  void SetUp() override {
    root_ = std::filesystem::path(testing::TempDir()) / ("lint_tree_" + std::to_string(getpid()));
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void write(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }

  std::filesystem::path root_;
};

TEST_F(ScratchTree, AnUpwardIncludeInAFileOnDiskIsFound) {
  write("base/low.h", "// Low.\n#pragma once\n#include \"kube/high.h\"\n");
  write("kube/high.h", "// High.\n#pragma once\n");

  const Findings findings = check_floors(Tree::read(root_));

  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].describe(),
            "base/low.h:3: floors: base (floor 0) includes kube/high.h (floor 2), include only downwards");
}

TEST_F(ScratchTree, BuildFoldersHiddenFoldersAndBinariesAreNotRead) {
  write("build/dev/x.cc", "co_await");
  write(".git/x.cc", "co_await");
  write("base/x.bin", std::string("a\0b", 3));
  write("base/x.cc", "int x;");
  write(".ci/run", "#!/bin/sh");

  const Tree tree = Tree::read(root_);

  ASSERT_EQ(tree.files.size(), 2U);
  EXPECT_EQ(tree.files[0].path, ".ci/run");
  EXPECT_EQ(tree.files[1].path, "base/x.cc");
}

}  // namespace
}  // namespace capstan::lint
