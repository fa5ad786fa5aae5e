#include "bootstrap/agent_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>

#include <unistd.h>

#include <array>
#include <boost/algorithm/string/replace.hpp>
#include <boost/json.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "api/bootstrap/node_config_rules.h"
#include "bootstrap/user_data.h"
#include "net/digest.h"

namespace capstan::bootstrap {
namespace {

namespace json = boost::json;
namespace fs = std::filesystem;
using testing::AllOf;
using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::Not;

const MachineFacts kWorker = {.cluster = "c1",
                              .namespace_ = "default",
                              .machine = "m1",
                              .kubernetes_version = "v1.36.0",
                              .endpoint = "10.0.0.1:6443",
                              .join = JoinFacts{.authority_pem = "PEM\n", .token = "abcdef.0123456789abcdef"},
                              .node_config = NodeConfigFacts{.name = "workers"}};

api::CloudConfigSpec a_spec() {
  api::CloudConfigSpec spec;
  spec.join.emplace();
  spec.node_config_ref = api::NodeConfigRef{.name = "workers"_text};
  return spec;
}

TEST(AgentFiles, SayWhoTheMachineIsToItsOwnerAlone) {
  const auto files = agent_files(kWorker);

  EXPECT_EQ(files.at(0).path, "/etc/capstan/agent.json");
  EXPECT_EQ(files.at(0).permissions, "0600");
  const auto told = json::parse(files.at(0).content);
  EXPECT_EQ(told.at("server"), "https://10.0.0.1:6443");
  EXPECT_EQ(told.at("certificateAuthority"), "PEM\n");
  EXPECT_EQ(told.at("token"), "abcdef.0123456789abcdef");
  EXPECT_EQ(told.at("machine"), "m1");
  EXPECT_EQ(told.at("version"), "v1.36.0");
  EXPECT_EQ(told.at("nodeConfig"), "workers");
  EXPECT_THAT(std::string(told.at("secret").as_string()), HasSubstr("capstan-node-config-workers-"));
  EXPECT_FALSE(told.as_object().contains("pool"));
}

TEST(AgentFiles, NameThePoolOfAnInstance) {
  MachineFacts instance = kWorker;
  instance.machine.clear();
  instance.machine_pool = "mp1";

  const auto told = json::parse(agent_files(instance).at(0).content);

  EXPECT_EQ(told.at("machine"), "mp1");
  EXPECT_EQ(told.at("pool"), true);
}

TEST(AgentFiles, TakeThePlaceOfTheKubeconfigThatTheAgentWrites) {
  const auto data = user_data(a_spec(), kWorker);

  ASSERT_TRUE(data) << data.error().message;
  EXPECT_THAT(data->files, Contains(Field(&UserDataFile::path, "/etc/kubernetes/pki/ca.crt")));
  EXPECT_THAT(data->files, Contains(Field(&UserDataFile::path, "/etc/systemd/system/capstan-agent.service")));
  EXPECT_THAT(data->files,
              Not(Contains(Field(&UserDataFile::path, "/etc/kubernetes/bootstrap-kubelet.conf"))));
  EXPECT_THAT(data->commands.at(0),
              "systemctl daemon-reload && systemctl enable --now capstan-agent.service");
}

TEST(AgentFiles, StartAFetchedProgramOnlyWhenItsChecksumIsRight) {
  MachineFacts fetches = kWorker;
  fetches.node_config->agent =
      api::NodeConfigAgent{.url = "https://example.com/it's"_text, .sha256 = Text(std::string(64, 'a'))};

  const std::string command = user_data(a_spec(), fetches)->commands.at(0);

  EXPECT_THAT(command, AllOf(HasSubstr(R"('https://example.com/it'\''s' && echo ')" + std::string(64, 'a')),
                             HasSubstr("| sha256sum -c - && "), HasSubstr(" && systemctl enable --now ")));
}

// Runs the command with another place for the program, a curl that brings `program`, and a systemctl that
// notes what it is asked.
struct Fetching {
  std::string started = {};    // what systemctl was asked
  std::string installed = {};  // the program; empty: none
};

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void put_script(const fs::path& path, std::string_view script) {
  std::ofstream(path) << "#!/bin/sh\n" << script;
  fs::permissions(path, fs::perms::owner_all);
}

// With another place for the program, a curl that brings `program`, and a systemctl that notes what it is
// asked.
Fetching run_fetching(const std::string& command, std::string_view program) {
  const fs::path folder = fs::path(testing::TempDir()) / fmt::format("capstan-fetch-{}", ::getpid());
  fs::create_directories(folder);
  put_script(folder / "curl",
             fmt::format("while [ $1 != -o ]; do shift; done\nprintf %s '{}' >$2\n", program));
  put_script(folder / "systemctl", fmt::format("echo $* >>{}/started\n", folder.string()));
  put_script(folder / "command", fmt::format("PATH={}:$PATH\n{}\n", folder.string(),
                                             boost::replace_all_copy(command, std::string(api::kAgentProgram),
                                                                     (folder / "agent").string())));
  static_cast<void>(std::system((folder / "command").c_str()));  // NOLINT(cert-env33-c): a script of ours
  const Fetching seen{.started = text_of(folder / "started"), .installed = text_of(folder / "agent")};
  fs::remove_all(folder);
  return seen;
}

TEST(AgentFiles, OfAProgramWithAnotherChecksumNothingIsStarted) {
  constexpr std::string_view kSha256 = "c770ef7d03b6965625b626eb0871705a566d6a89a39bb670f0cccffbac97270d";
  MachineFacts fetches = kWorker;
  fetches.node_config->agent =
      api::NodeConfigAgent{.url = "https://example.com/a"_text, .sha256 = Text(kSha256)};
  const std::string command = user_data(a_spec(), fetches)->commands.at(0);

  const Fetching good = run_fetching(command, "the agent");
  const Fetching bad = run_fetching(command, "another program");

  EXPECT_EQ(good.installed, "the agent");
  EXPECT_EQ(good.started, "daemon-reload\nenable --now capstan-agent.service\n");
  EXPECT_EQ(bad.installed, "");
  EXPECT_EQ(bad.started, "");
}

TEST(AgentFiles, AreForMachinesThatJoin) {
  api::CloudConfigSpec spec = a_spec();
  spec.join.reset();
  MachineFacts stranger = kWorker;
  stranger.join.reset();
  stranger.node_config.reset();

  EXPECT_THAT(user_data(spec, stranger).error().message, HasSubstr("spec.nodeConfigRef"));
}

TEST(AgentFiles, StandInEveryFormat) {
  for (const std::string_view format : {"cloud-config", "ignition", "script"}) {
    api::CloudConfigSpec spec = a_spec();
    spec.format = Text(format);
    const auto text = render(spec, kWorker);
    ASSERT_TRUE(text) << text.error().message;
    EXPECT_THAT(*text, HasSubstr("/etc/capstan/agent.json")) << format;
    EXPECT_THAT(*text, HasSubstr("capstan-agent.service")) << format;
  }
}

// Taken from the release before NodeConfigs: machines without one get the same data, byte for byte.
TEST(UserData, OfAMachineWithoutANodeConfigIsWhatItWas) {
  struct Known {
    std::string_view format;
    std::string_view sha256;
  };
  constexpr std::array kKnown = {
      Known{"cloud-config", "8e55093c6a91e08013d0b2aba032da0c5db28828f7ccd967376d9f6dac92696d"},
      Known{"ignition", "fbc9df53289e9745a1994d9cddf5b5229a3ef80ec71b8ca009621aeb06f10a71"},
      Known{"script", "77253a1969d2d4a28ddb52bd8ab52d7e6160039a9341c8947ba5e20a23dd8680"}};
  MachineFacts facts = kWorker;
  facts.node_config.reset();
  for (const auto& [format, sha256] : kKnown) {
    api::CloudConfigSpec spec;
    spec.join.emplace();
    spec.files.push_back({.path = "/etc/a"_text, .content = FreeText("a\n"), .permissions = "0600"_text});
    spec.commands.push_back("systemctl enable --now kubelet"_text);
    spec.format = Text(format);

    const auto text = render(spec, facts);

    ASSERT_TRUE(text) << text.error().message;
    EXPECT_EQ(fmt::format("{:02x}", fmt::join(net::sha256(*text), "")), sha256) << format;
  }
}

}  // namespace
}  // namespace capstan::bootstrap
