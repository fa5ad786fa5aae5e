#include "base/options.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <memory>

namespace capstan {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

struct Options {
  bool leader_elect = false;
  int machine_concurrency = 100;
  std::int64_t webhook_port = 9443;
  double qps = 20;
  std::string kubeconfig = {};
  std::string log_format = "text";
  Nanoseconds sync_period = std::chrono::minutes(10);
  StringList namespaces = {"default"};
  StringMap labels = {};
  Switches feature_gates = {{"MachinePool", true}, {"ClusterTopology", false}};
  int v = 0;
};

constexpr std::array kGeneral = {
    flag("kubeconfig", &Options::kubeconfig, "how to reach the management cluster"),
    flag("leader-elect", &Options::leader_elect, "act only while holding the lease"),
    flag("machine-concurrency", &Options::machine_concurrency, "machines reconciled at the same time",
         {.minimum = 1}),
    flag("kube-api-qps", &Options::qps, "requests per second"),
    flag("sync-period", &Options::sync_period,
         "how often every object is looked at again even when nothing happened to "
         "it, spread evenly over this time"),
    flag("namespace", &Options::namespaces, "where to look"),
    flag("labels", &Options::labels, "what to write on objects"),
    flag("feature-gates", &Options::feature_gates, "what is switched on"),
};
constexpr std::array kOther = {
    flag("webhook-port", &Options::webhook_port, "0 switches webhooks off",
         {.minimum = 0, .maximum = 65'535}),
    flag("log-format", &Options::log_format, "one line per event", {.choices = "text|json"}),
    flag("v", &Options::v, "verbosity"),
};

struct Program {
  Options options = {};
  Flags flags = {};
  Program() { flags.add("General", options, kGeneral).add("Diagnostics", options, kOther); }
  Result<Arguments> parse(std::initializer_list<const char*> words,
                          Positional positional = Positional::Refused) {
    return flags.parse(std::span(words.begin(), words.size()), positional);
  }
  std::string refusal(std::initializer_list<const char*> words) {
    const auto parsed = parse(words);
    return parsed ? "accepted" : parsed.error().message;
  }
};

TEST(Flags, ReadEveryKindOfValue) {
  Program program;

  ASSERT_TRUE(program.parse({"--kubeconfig", "/a/b", "--machine-concurrency=7", "--webhook-port", "0",
                             "--kube-api-qps=1.5", "--sync-period", "1h30m", "--log-format=json",
                             "--labels=a=b,c=d=e", "-v", "4"}));

  EXPECT_EQ(program.options.kubeconfig, "/a/b");
  EXPECT_EQ(program.options.machine_concurrency, 7);
  EXPECT_EQ(program.options.webhook_port, 0);
  EXPECT_EQ(program.options.qps, 1.5);
  EXPECT_EQ(program.options.sync_period, std::chrono::minutes(90));
  EXPECT_EQ(program.options.log_format, "json");
  EXPECT_THAT(program.options.labels, ElementsAre(Pair("a", "b"), Pair("c", "d=e")));
  EXPECT_EQ(program.options.v, 4);
}

TEST(Flags, NothingGivenLeavesTheDefaults) {
  Program program;

  ASSERT_TRUE(program.parse({}));

  EXPECT_EQ(program.options.machine_concurrency, 100);
  EXPECT_THAT(program.options.namespaces, ElementsAre("default"));
}

TEST(Flags, SwitchesTakeTheirValueBehindAnEqualsSignOnly) {
  Program on;
  Program off;

  ASSERT_TRUE(on.parse({"--leader-elect"}));
  ASSERT_TRUE(off.parse({"--leader-elect", "--leader-elect=false"}));

  EXPECT_TRUE(on.options.leader_elect);
  EXPECT_FALSE(off.options.leader_elect);
  EXPECT_EQ(Program().refusal({"--leader-elect", "false"}), "unexpected argument \"false\"");
}

TEST(Flags, ListsReplaceTheirDefaultAndThenGather) {
  Program program;

  ASSERT_TRUE(program.parse({"--namespace=a,b", "--namespace", "c"}));

  EXPECT_THAT(program.options.namespaces, ElementsAre("a", "b", "c"));
}

TEST(Flags, AnEmptyListCanBeAsked) {
  Program program;

  ASSERT_TRUE(program.parse({"--namespace="}));

  EXPECT_TRUE(program.options.namespaces.empty());
}

TEST(Flags, GatesChangeOnlyWhatIsNamed) {
  Program program;

  ASSERT_TRUE(program.parse({"--feature-gates=ClusterTopology=true"}));

  EXPECT_THAT(program.options.feature_gates,
              ElementsAre(Pair("ClusterTopology", true), Pair("MachinePool", true)));
}

TEST(Flags, UnderscoresAreDashes) {
  Program program;

  ASSERT_TRUE(program.parse({"--machine_concurrency=3"}));

  EXPECT_EQ(program.options.machine_concurrency, 3);
}

TEST(Flags, AnUnknownFlagNamesItsNearestNeighbour) {
  EXPECT_EQ(Program().refusal({"--machine-concurency=3"}),
            "unknown flag --machine-concurency (did you mean --machine-concurrency?)");
  EXPECT_EQ(Program().refusal({"--hlep"}), "unknown flag --hlep (did you mean --help?)");
  EXPECT_EQ(Program().refusal({"--entirely-different"}), "unknown flag --entirely-different");
  EXPECT_THAT(Program().refusal({"-kubeconfig", "x"}), HasSubstr("unknown flag"));
}

TEST(Flags, ABadValueIsRefusedWithTheNameOfItsFlag) {
  EXPECT_EQ(Program().refusal({"--machine-concurrency=many"}),
            "--machine-concurrency: \"many\" is not a number in range");
  EXPECT_EQ(Program().refusal({"--machine-concurrency=99999999999"}),
            "--machine-concurrency: \"99999999999\" is not a number in range");
  EXPECT_EQ(Program().refusal({"--machine-concurrency=0"}), "--machine-concurrency: 0 is below 1");
  EXPECT_EQ(Program().refusal({"--webhook-port=65536"}), "--webhook-port: 65536 is above 65535");
  EXPECT_EQ(Program().refusal({"--kube-api-qps=nan"}), "--kube-api-qps: \"nan\" is not a number");
  EXPECT_EQ(Program().refusal({"--leader-elect=perhaps"}),
            "--leader-elect: \"perhaps\" is neither true nor false");
  EXPECT_THAT(Program().refusal({"--sync-period=10"}), HasSubstr("--sync-period: \"10\" is not a duration"));
  EXPECT_EQ(Program().refusal({"--log-format=xml"}), "--log-format: \"xml\" is not one of text, json");
  EXPECT_EQ(Program().refusal({"--labels=a"}), "--labels: \"a\" is not of the form key=value");
  EXPECT_EQ(Program().refusal({"--feature-gates=Machinepool=true"}),
            "--feature-gates: \"Machinepool\" is not one of ClusterTopology, MachinePool");
  EXPECT_EQ(Program().refusal({"--feature-gates=MachinePool"}),
            "--feature-gates: \"MachinePool\" is not of the form key=true or key=false");
  EXPECT_EQ(Program().refusal({"-v"}), "-v needs a value");
}

TEST(Flags, PositionalArgumentsMustBeWanted) {
  Program program;

  const auto parsed =
      program.parse({"apiserver", "--leader-elect", "--", "--not-a-flag"}, Positional::Allowed);

  ASSERT_TRUE(parsed);
  EXPECT_THAT(parsed->positional, ElementsAre("apiserver", "--not-a-flag"));
  EXPECT_EQ(Program().refusal({"apiserver"}), "unexpected argument \"apiserver\"");
}

TEST(Flags, HelpIsGroupedWrappedAndShowsDefaults) {
  Program program;
  ASSERT_TRUE(program.parse({"--machine-concurrency=5"}));

  const std::string help = program.flags.help("usage: capstan [flags]");

  EXPECT_THAT(help, testing::StartsWith(
                        "usage: capstan [flags]\n\nGeneral:\n  --kubeconfig string\n      how to reach"));
  EXPECT_THAT(help, HasSubstr("\nDiagnostics:\n  --webhook-port int\n"));
  EXPECT_THAT(
      help,
      HasSubstr("  --machine-concurrency int\n      machines reconciled at the same time (default 100)\n"));
  EXPECT_THAT(help, HasSubstr("  --log-format text|json\n"));
  EXPECT_THAT(help, HasSubstr("  --leader-elect\n      act only while holding the lease\n"));
  EXPECT_THAT(help, HasSubstr("  -v int\n"));
  for (std::size_t at = 0; at < help.size(); at = help.find('\n', at) + 1) {
    EXPECT_LE(help.find('\n', at) - at, 80U) << help.substr(at, 100);
  }
}

TEST(Flags, HelpIsAskedInTwoWays) {
  EXPECT_TRUE(Program().parse({"--help"})->help);
  EXPECT_TRUE(Program().parse({"-h"})->help);
  EXPECT_FALSE(Program().parse({})->help);
}

TEST(Flags, EffectiveValuesAreWhatTheProgramUses) {
  Program program;
  ASSERT_TRUE(program.parse({"--sync-period=90s", "--namespace=a,b"}));

  const auto values = program.flags.effective();

  EXPECT_THAT(values,
              testing::IsSupersetOf({Pair("sync-period", "1m30s"), Pair("namespace", "a,b"),
                                     Pair("machine-concurrency", "100"), Pair("leader-elect", "false"),
                                     Pair("feature-gates", "ClusterTopology=false,MachinePool=true")}));
}

std::string output_of(const std::string& script) {
  const std::unique_ptr<FILE, int (*)(FILE*)> shell(popen(("bash -c '" + script + "' 2>&1").c_str(), "r"),
                                                    &pclose);
  std::string output;
  for (int c = std::fgetc(shell.get()); c != EOF; c = std::fgetc(shell.get())) output += static_cast<char>(c);
  return output;
}

TEST(Flags, BashCompletesNamesAndChoices) {
  const std::string script = Program().flags.completion("capstan-dev");

  const auto completed = [&](const std::string& before, const std::string& word) {
    return output_of(script + "COMP_WORDS=(capstan-dev " + before + " " + word +
                     "); COMP_CWORD=2; _capstan_dev_flags; echo ${COMPREPLY[@]}");
  };

  EXPECT_EQ(completed("--leader-elect", "--machine"), "--machine-concurrency\n");
  EXPECT_EQ(completed("--log-format", "j"), "json\n");
  EXPECT_EQ(completed("--leader-elect", "--none-like-this"), "\n");
}

TEST(Flags, BashCompletesCommandsAndTheirFlags) {
  const std::string script =
      Program().flags.completion("capstan-dev up") + Program().flags.completion("capstan-dev demo");

  const auto completed = [&](const std::string& words, int at) {
    return output_of(script + "COMP_WORDS=(capstan-dev " + words + "); COMP_CWORD=" + std::to_string(at) +
                     "; _capstan_dev_commands; echo ${COMPREPLY[@]}");
  };

  EXPECT_EQ(completed("", 1), "demo up\n");
  EXPECT_EQ(completed("u", 1), "up\n");
  EXPECT_EQ(completed("up --machine", 2), "--machine-concurrency\n");
  EXPECT_EQ(completed("up --log-format j", 3), "json\n");
  EXPECT_EQ(completed("unheard-of --machine", 2), "\n");
}

TEST(Flags, CompletionIsAFlagToo) {
  EXPECT_EQ(Program().parse({"--completion", "bash"})->completion, "bash");
  EXPECT_EQ(Program().refusal({"--completion=fish"}), "--completion: \"fish\" is not one of bash");
}

}  // namespace
}  // namespace capstan
