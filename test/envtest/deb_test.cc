// The Debian package of the release build: what it holds, and its service's command line started as the unit
// says, with the environment file of the package and a kubeconfig where systemd would put it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "test/envtest/kubectl.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

const fs::path kBuild = "build/release";

std::string file_content(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// "ExecStart=/usr/bin/capstan ..." of a unit, or "CAPSTAN_FLAGS=..." of an environment file.
std::string value_of(const std::string& text, const std::string& name) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(name + "=")) return line.substr(name.size() + 1);
  return {};
}

void replace_all(std::string& text, std::string_view what, std::string_view by) {
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

class DebianPackage : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    ASSERT_TRUE(fs::exists(kBuild / "bin/capstan")) << "no release build: scripts/build release";
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
    const auto packed = text_of(
        run({.argv = {"cpack", "--config", kBuild / "CPackConfig.cmake", "-B", folder_->path() / "deb"}},
            seconds(60)));
    ASSERT_THAT(packed, HasSubstr("generated"));
    for (const auto& entry : fs::directory_iterator(folder_->path() / "deb"))
      if (entry.path().extension() == ".deb") package_ = entry.path();
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override { ASSERT_TRUE(folder_ && !package_.empty()) << "cpack wrote no package"; }

  static std::string asked(const char* question, std::vector<std::string> more = {}) {
    std::vector<std::string> argv = {"dpkg-deb", question, package_};
    argv.insert(argv.end(), more.begin(), more.end());
    return text_of(run({.argv = std::move(argv)}, seconds(30)));
  }

  static inline std::unique_ptr<ScratchFolder> folder_;
  static inline fs::path package_;
};

TEST_F(DebianPackage, HoldsTheProgramItsUnitAndItsFlags) {
  EXPECT_THAT(asked("--contents"),
              AllOf(HasSubstr("./usr/bin/capstan\n"), HasSubstr("/systemd/system/capstan.service\n"),
                    HasSubstr("./etc/default/capstan\n"), HasSubstr("./usr/share/doc/capstan/copyright\n")));
  EXPECT_THAT(asked("--info", {"conffiles"}), HasSubstr("/etc/default/capstan"));
  EXPECT_THAT(asked("--field", {"Depends"}), AllOf(HasSubstr("libc6"), HasSubstr("ca-certificates")));
}

TEST_F(DebianPackage, RunsWhatItsUnitStarts) {
  const fs::path root = folder_->path() / "root";
  ASSERT_EQ(text_of(run({.argv = {"dpkg-deb", "--extract", package_, root}}, seconds(30))), "");
  auto servers = RealServers::start();
  ASSERT_TRUE(servers) << servers.error().describe();
  ASSERT_THAT(kubectl(**servers, {"apply", "--server-side", "-f", "config/crd/bases"}),
              HasSubstr("machines.cluster"));
  kubectl(**servers, {"wait", "--for=condition=Established", "--timeout=50s", "crd", "--all"});
  ASSERT_THAT(kubectl(**servers, {"create", "namespace", "capi-system"}), HasSubstr("created"));
  const fs::path credentials = folder_->path() / "credentials";
  fs::create_directories(credentials);
  fs::copy_file((*servers)->kubeconfig_path(), credentials / "kubeconfig");

  std::string command;
  for (const auto& entry : fs::recursive_directory_iterator(root))
    if (entry.path().filename() == "capstan.service")
      command = value_of(file_content(entry.path()), "ExecStart");
  replace_all(command, "%d", credentials.string());
  replace_all(command, "$CAPSTAN_FLAGS",
              value_of(file_content(root / "etc/default/capstan"), "CAPSTAN_FLAGS"));
  auto argv = words_of(command);
  ASSERT_FALSE(argv.empty());
  argv.front() = root.string() + argv.front();
  for (const char* flag : {"--exit-when-ready", "--health-addr=0", "--diagnostics-address=0"})
    argv.emplace_back(flag);
  const auto ended = run({.argv = std::move(argv)}, seconds(60));

  ASSERT_TRUE(ended) << ended.error().describe();
  EXPECT_EQ(ended->exit_code, 0) << ended->err;
  EXPECT_THAT(ended->err, HasSubstr("controllers run"));
}

}  // namespace
}  // namespace capstan::envtest
