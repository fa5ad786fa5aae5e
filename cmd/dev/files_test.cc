#include "cmd/dev/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <boost/json.hpp>
#include <filesystem>

#include "cmd/dev/manifests.h"

namespace capstan::dev {
namespace {

using testing::HasSubstr;

// Gone with the test.
struct Folder {
  Folder() {
    std::string name = testing::TempDir() + "files_test_XXXXXX";
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string at(const char* name) const { return path / name; }

  std::filesystem::path path = {};
};

TEST(PrivateFile, IsForItsOwnerOnlyAndLeavesNothingBeside) {
  const Folder folder;

  ASSERT_TRUE(write_private_file(folder.at("k"), "first"));
  ASSERT_TRUE(write_private_file(folder.at("k"), "second"));

  struct stat is = {};
  ASSERT_EQ(stat(folder.at("k").c_str(), &is), 0);
  EXPECT_EQ(is.st_mode & 0777U, 0600U);
  EXPECT_EQ(*read_file(folder.at("k")), "second");
  EXPECT_FALSE(std::filesystem::exists(folder.at("k.part")));
}

TEST(PrivateFile, ThatCannotTakeItsNameIsAnErrorAndLeavesNoSecretBehind) {
  const Folder folder;
  std::filesystem::create_directory(folder.at("k"));

  const auto written = write_private_file(folder.at("k"), "secret");

  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("Is a directory"));
  EXPECT_FALSE(std::filesystem::exists(folder.at("k.part")));
}

TEST(PrivateFile, InAFolderThatIsNotThereIsAnError) {
  const Folder folder;

  const auto written = write_private_file(folder.at("no/k"), "secret");

  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().message, HasSubstr("No such file or directory"));
}

TEST(Manifests, AFolderIsNotAnEmptyManifest) {
  const Folder folder;

  EXPECT_FALSE(read_manifests(folder.path.string()));
  EXPECT_FALSE(read_file(folder.path.string()));
}

}  // namespace
}  // namespace capstan::dev
