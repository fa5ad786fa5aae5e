#include "cmd/dev/demo_command.h"

#include <unistd.h>

#include <array>
#include <iostream>
#include <string_view>

#include "base/options.h"
#include "base/try.h"
#include "cmd/dev/demo_stage.h"
#include "cmd/dev/preserve_demo.h"
#include "cmd/dev/rollout_demo.h"
#include "cmd/dev/safety_demo.h"
#include "cmd/program/flags.h"
#include "cmd/program/signals.h"

namespace capstan::dev {
namespace {

struct Story {
  std::string_view name = {};
  Result<void> (*play)(DemoStage& stage) = nullptr;
  infrastructure::sim::Script cloud = {};
};
const std::array kStories = {Story{"rollout", play_rollout}, Story{"preserve", play_preserve},
                             Story{"safety", play_safety, cloud_of_safety()}};

constexpr std::array kFlags = {
    flag("step-timeout", &DemoOptions::step_timeout, "how long each step may take"),
    flag("json", &DemoOptions::json, "one JSON document per change instead of lines"),
    flag("verbose", &DemoOptions::verbose, "the manager's log, on standard error"),
    flag("story", &DemoOptions::story, "rollout, preserve or safety"),
};

constexpr std::string_view kUsage = R"(capstan-dev demo: a fleet comes up, grows and rolls

usage: capstan-dev demo [flags]

The story `rollout` brings one cluster with a MachineDeployment of 3 to Available, scales it to 5,
rolls it to a new version, and ends with 0 only if Machines, Nodes and VMs are what was promised.
The story `preserve` has a Machine fail that is to be kept for a look at it, and releases it.
The story `safety` has a zone die and come back, a bad image rolled and labels mistaken, and ends with 0
only if no Machine of before was lost.
)";

Result<void> play(const DemoOptions& options, const Story& story, const program::Signals& signals,
                  const manager::Seams& seams) {
  DescriptorSink sink(STDERR_FILENO);
  const Log log(sink, seams.clock, {.levels = {.all = options.verbose ? Level::Info : Level::Error}});
  DemoStage stage(options, seams, signals.stop(), log);
  TRY(stage.start(story.cloud));
  return story.play(stage);
}

int run(const DemoOptions& options, const Story& story) {
  SystemClock clock;
  SystemThreads threads;
  SystemRandomness randomness;
  const program::Signals signals(threads);
  const manager::Seams seams{clock, threads, randomness};
  const auto played = play(options, story, signals, seams);
  if (played) return 0;
  std::cerr << "capstan-dev demo: " << played.error().describe() << "\n";
  return 1;
}

}  // namespace

int demo_command(std::span<const char* const> words) {
  DemoOptions options;
  Flags flags;
  flags.add("demo", options, kFlags);
  const auto arguments = flags.parse(words);
  if (const auto code = program::answer_words(flags, arguments, "capstan-dev demo", kUsage)) return *code;
  const auto* const story = std::ranges::find(kStories, options.story, &Story::name);
  if (story != kStories.end()) return run(options, *story);
  std::cerr << "capstan-dev demo: --story: \"" << options.story
            << "\" is none of rollout, preserve and safety\n";
  return 2;
}

}  // namespace capstan::dev
