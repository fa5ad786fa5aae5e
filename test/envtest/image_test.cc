// The container image of the release build: what scripts/image writes, read by skopeo, and its programs
// started in nothing but its own file system. Skipped where the release preset was not built.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/try.h"
#include "test/envtest/kubectl.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

constexpr std::uintmax_t kMostBytes = 20'000'000;
constexpr std::string_view kNoSkopeo = "no skopeo: scripts/install-deps --image";
const fs::path kPrograms = "build/release/bin";

class Image : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!fs::exists(kPrograms / "capstan")) return;
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
    digest_ = built_into("out");
  }
  static void TearDownTestSuite() { folder_.reset(); }
  void SetUp() override { ASSERT_TRUE(folder_) << kPrograms << " holds no capstan: scripts/build release"; }

  // Prints the digest.
  static std::string built_into(std::string_view name) {
    return text_of(
        run({.argv = {"scripts/image", "--programs", kPrograms, "v1.14.200", folder_->path() / name}},
            seconds(60)));
  }
  static fs::path archive() { return folder_->path() / "out/capstan-v1.14.200.oci.tar"; }
  static json::value inspected(std::vector<std::string> how) {
    how.insert(how.begin(), {"skopeo", "inspect"});
    how.push_back("oci-archive:" + archive().string());
    return json::parse(text_of(run({.argv = std::move(how)}, seconds(30))));
  }
  // The layers of the image, one over the other.
  static Result<std::string> unpack(const fs::path& root) {
    fs::create_directories(root);
    return output_of({.argv = {"sh", "-ec", R"(
      skopeo copy --quiet "oci-archive:$1" "dir:$2.layers"
      tar --extract --gzip --same-permissions --directory="$2" --file="$2.layers/$3")",
                               "unpack", archive(), root, layer()}},
                     seconds(60));
  }
  static std::string layer() {
    const std::string name(inspected({}).at("Layers").at(0).as_string());
    return name.substr(name.find(':') + 1);
  }
  // A file system of the test's own. Only root may make it the root of a process.
  static Result<fs::path> unpacked() {
    if (::geteuid() != 0) return fail(Code::Forbidden, "only root may change the root folder of a process");
    const fs::path root = folder_->path() / ::testing::UnitTest::GetInstance()->current_test_info()->name();
    TRY(unpack(root));
    return root;
  }
  static Result<CommandOutcome> run_inside(const fs::path& root, std::vector<std::string> command) {
    command.insert(command.begin(),
                   {"env", "-i", "/usr/sbin/chroot", "--userspec=65532:65532", root.string()});
    return run({.argv = std::move(command)}, seconds(60));
  }
  static bool has_skopeo() { return run({.argv = {"skopeo", "--version"}}, seconds(10)).has_value(); }

  static inline std::unique_ptr<ScratchFolder> folder_;
  static inline std::string digest_;
};

TEST_F(Image, HasTheSameDigestEachTime) {
  EXPECT_THAT(digest_, ::testing::StartsWith("sha256:"));
  EXPECT_EQ(built_into("again"), digest_);
}

TEST_F(Image, HasAtMostTwentyMegabytes) { EXPECT_LE(fs::file_size(archive()), kMostBytes); }

TEST_F(Image, RunsCapstanAsUser65532) {
  ASSERT_TRUE(has_skopeo()) << kNoSkopeo;

  const auto config = inspected({"--config"});

  EXPECT_EQ(config.at("config").at("User"), "65532:65532");
  EXPECT_EQ(config.at("config").at("Entrypoint"), json::array{"/capstan"});
  EXPECT_EQ(std::string(inspected({}).at("Digest").as_string()) + "\n", digest_);
}

TEST_F(Image, IsRefusedAProgramWithSwitchesForItsSafeguards) {
  const fs::path programs = folder_->path() / "dev";
  fs::create_directories(programs);
  fs::copy_file(fs::read_symlink("/proc/self/exe").parent_path() / "capstan", programs / "capstan");

  const auto refused =
      run({.argv = {"scripts/image", "--programs", programs, "v1", folder_->path() / "no"}}, seconds(60));

  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->exit_code, 1);
  EXPECT_THAT(refused->err, HasSubstr("switches for its safeguards"));
}

TEST_F(Image, HasItsLibrariesInTheListBesideIt) {
  const auto list = json::parse(content_of(folder_->path() / "out/capstan-v1.14.200.spdx.json"));

  std::set<std::string> names;
  for (const auto& package : list.at("packages").as_array()) names.emplace(package.at("name").as_string());
  EXPECT_THAT(names, IsSupersetOf({"capstan", "ca-certificates", "libc6", "libssl3", "libstdc++6"}));
}

TEST_F(Image, HoldsItsPrograms) {
  ASSERT_TRUE(has_skopeo()) << kNoSkopeo;
  const auto root = unpacked();
  ASSERT_TRUE(root) << root.error().describe();

  for (const std::string program : {"capstan", "capstan-provider", "capstan-agent"})
    EXPECT_THAT(text_of(run_inside(*root, {"/" + program, "--version"})),
                ::testing::MatchesRegex(program + " [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

// No library, no file of this machine is in reach; only the network is.
TEST_F(Image, StartsInItsOwnFileSystemAlone) {
  ASSERT_TRUE(has_skopeo()) << kNoSkopeo;
  const auto root = unpacked();
  ASSERT_TRUE(root) << root.error().describe();
  auto servers = RealServers::start();
  ASSERT_TRUE(servers) << servers.error().describe();
  ASSERT_THAT(kubectl(**servers, {"apply", "--server-side", "-f", "config/crd/bases"}),
              HasSubstr("machines.cluster"));
  kubectl(**servers, {"wait", "--for=condition=Established", "--timeout=50s", "crd", "--all"});
  fs::copy_file((*servers)->kubeconfig_path(), *root / "kubeconfig");
  fs::permissions(*root / "kubeconfig", fs::perms::others_read, fs::perm_options::add);
  const auto until_ready = [&](std::vector<std::string> command) {
    for (const char* flag :
         {"--kubeconfig=/kubeconfig", "--exit-when-ready", "--health-addr=0", "--diagnostics-address=0"})
      command.emplace_back(flag);
    return run_inside(*root, std::move(command));
  };

  const auto manager = until_ready({"/capstan", "--webhook-port=0"});
  const auto provider = until_ready({"/capstan-provider", "--driver=simulated"});

  ASSERT_TRUE(manager && provider);
  EXPECT_EQ(manager->exit_code, 0) << manager->err;
  EXPECT_THAT(manager->err, HasSubstr("controllers run"));
  EXPECT_EQ(provider->exit_code, 0) << provider->err;
  EXPECT_THAT(provider->err, HasSubstr("providers run"));
  EXPECT_GT(fs::file_size(*root / "etc/ssl/certs/ca-certificates.crt"), 100'000U);
}

}  // namespace
}  // namespace capstan::envtest
