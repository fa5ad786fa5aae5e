#include "test/joining/vm.h"

#include <fmt/format.h>

#include "agent/fetch.h"
#include "agent/loop.h"
#include "api/bootstrap/agent_facts.h"
#include "api/bootstrap/names.h"
#include "api/schema/decode.h"

namespace capstan::joining {
namespace {

constexpr std::string_view kForbidden = "/var/lib/capstan-agent/extra";
constexpr std::string_view kFileInForce = "after a file is in force";
constexpr std::uint64_t kKillsPerThousand = 4;
constexpr std::uint64_t kBadDownloadsPerThousand = 400;
constexpr std::uint64_t kFailingUnitsPerThousand = 100;

}  // namespace

// Its wall clock is the machine's.
class Vm::OwnClock final : public Clock {
 public:
  explicit OwnClock(const VmWorld& world) : world_(world) {}
  WallTime now() const override { return world_.baton.now() + world_.clock_off; }
  SteadyTime steady_now() const override { return world_.baton.steady_now(); }

 private:
  const VmWorld& world_;
};

// The baton, and at each effect of the agent a look at the disk and perhaps its death.
class Vm::Hazards final : public Threads {
 public:
  explicit Hazards(Vm& vm) : vm_(vm), baton_(vm.world_.baton) {}

  std::unique_ptr<Thread> spawn(std::string name, Body body) override {
    return baton_.spawn(std::move(name), std::move(body));
  }
  Woken wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) override {
    return baton_.wait(signal, seen, deadline);
  }
  void switch_point(std::string_view seam) override {
    if (baton_.crashing()) return;
    if (seam == kFileInForce) vm_.restarting_.clear();
    vm_.look_at_files();
    if (vm_.world_.strikes(kKillsPerThousand)) {
      vm_.world_.narrate(fmt::format("{} is killed {}", vm_.process(), seam));
      baton_.crash(vm_.process());
    }
    baton_.switch_point(seam);
  }

 private:
  Vm& vm_;
  fakes::Baton& baton_;
};

class Vm::Units final : public agent::Systemctl {
 public:
  explicit Units(Vm& vm) : vm_(vm) {}

  Result<void> run(const std::vector<std::string>& words) override {
    vm_.restarting_.clear();
    if (vm_.world_.strikes(kFailingUnitsPerThousand)) return fail(Code::Internal, "exit code 1: Job failed.");
    const std::string& unit = words.back();
    if (words.front() != "daemon-reload" && unit == "kubelet.service") vm_.runs_kubelet_ = true;
    return words.front() == "restart" ? vm_.restart(unit) : Result<void>();
  }

 private:
  Vm& vm_;
};

Vm::Vm(VmWorld world, std::string machine, const std::map<std::string, std::string>& files, agent::Dial dial)
    : world_(std::move(world)), machine_(std::move(machine)), dial_(std::move(dial)) {
  for (const auto& [path, content] : files) disk_.put(path, content);
  const auto facts = api::decode<api::AgentFacts>(disk_.text(api::bootstrap::kAgentFactsFile));
  if (facts) token_ = facts->token.str();
}

Vm::~Vm() = default;

std::string Vm::token() const { return token_; }

void Vm::run_agent(const std::stop_token& stop) {
  const OwnClock clock(world_);
  Hazards hazards(*this);
  Units units(*this);
  SeededRandomness randomness(world_.baton.draw(1'000'000));
  Signal changed("changed");
  const auto root = agent::Root::open(disk_.folder(), hazards);
  const agent::Fetch download = [this](const std::string& url, agent::PendingFile& into, const Deadline&) {
    return fetch(url, into);
  };
  const agent::AgentDeps deps{.tools = {.root = *root,
                                        .systemctl = units,
                                        .fetch = download,
                                        .clock = clock,
                                        .threads = hazards,
                                        .own = agent::own_mark()},
                              .randomness = randomness,
                              .dial = dial_,
                              .changed = changed};
  agent::Agent program(
      deps, {.facts_path = std::string(api::bootstrap::kAgentFactsFile), .host_name = host_name()});
  agent::run(program, deps, stop);
}

void Vm::agent_ended() {
  if (!restarting_.empty()) units_[restarting_].interrupted = true;
  restarting_.clear();
}

// A connection that breaks may look like the end of the file.
Result<void> Vm::fetch(const std::string& url, agent::PendingFile& into) {
  const std::string program = program_at(url);
  const std::size_t half = program.size() / 2;
  if (auto written = into.write(program.substr(0, half)); !written) return written;
  world_.baton.switch_point("download");
  if (world_.strikes(kBadDownloadsPerThousand)) return {};
  return into.write(program.substr(half));
}

Result<void> Vm::restart(const std::string& unit) {
  UnitSeen& seen = units_[unit];
  world_.narrate(fmt::format("{}: {} is restarted", machine_, unit));
  if (auto broken = restarted_without_change(unit, seen); !broken.empty())
    world_.broke(fmt::format("machine {}: {}", machine_, broken));
  seen = after_restart(seen);
  restarting_ = unit;
  return {};
}

void Vm::look_at_files() {
  for (const WatchedFile& file : kWatchedFiles) {
    if (!disk_.has(file.path)) continue;
    std::string content = disk_.text(file.path);
    std::string& known = in_force_[std::string(file.path)];
    if (content == known) continue;
    if (auto broken = half_written(file.path, content, world_.offered.find(file.path)->second);
        !broken.empty())
      world_.broke(fmt::format("machine {}: {}", machine_, broken));
    known = std::move(content);
    ++units_[std::string(file.unit)].changes;
  }
  if (disk_.has(kForbidden)) world_.broke(fmt::format("machine {}: {} was written", machine_, kForbidden));
}

std::string Vm::differs_from(const std::map<std::string, std::string>& files) const {
  for (const auto& [path, content] : files)
    if (!disk_.has(path) || disk_.text(path) != content) return path + " holds something else";
  for (const auto& [unit, seen] : units_)
    if (auto missed = restart_missed(unit, seen); !missed.empty()) return missed;
  return {};
}

}  // namespace capstan::joining
