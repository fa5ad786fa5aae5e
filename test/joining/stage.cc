#include "test/joining/stage.h"

#include <fmt/format.h>

#include <array>

namespace capstan::joining {
namespace {

// Of a client that belongs to that process.
fakes::FaultPlan plan_for(JoiningStage& stage, const std::string& process) {
  return {.choose = [&stage](const FaultPoint& point) { return stage.fault_for(point); },
          .span = [&stage] { return stage.some_seconds(10); },
          .crash = [&stage, process] { stage.baton.crash(process); },
          .crashing = [&stage] { return stage.baton.crashing(); },
          .spawn_outside =
              [&stage](Threads::Body body) { return stage.baton.spawn_process("network", std::move(body)); }};
}

}  // namespace

JoiningStage::JoiningStage(const JoiningOptions& wanted, JoiningVerdict& outcome)
    : NodeConfigFixture(wanted.seed),
      options(wanted),
      verdict(outcome),
      authority(*net::new_ca("test", baton.now(), baton.now() + std::chrono::days(365))),
      gate(workload_api, workload, [this](const std::string& machine, const std::string& secret) {
        const std::string& own = machines.at(machine).node_config;
        broke(read_anothers(machine, bootstrap::nodeconfig::secret_key(bootstrap::named(own)).name, secret));
      }) {
  spec.join->creation_timeout_seconds = static_cast<std::int32_t>(kCreationTimeout.count());
  fault = workload_fault = [this](const FaultPoint& point) {
    const Fault chosen = fault_for(point);
    if (chosen != Fault::None) last_trouble = baton.steady_now();
    return chosen;
  };
}

Fault JoiningStage::fault_for(const FaultPoint& point) {
  const bool piece = point.call == Call::Piece;
  if (!strikes(piece ? pieces_hit : calls_hit)) return Fault::None;
  static constexpr std::array kOfPieces = {Fault::Stale, Fault::Stale, Fault::Cut, Fault::Expired};
  static constexpr std::array kOfCalls = {Fault::Unavailable, Fault::RateLimited, Fault::Slow,
                                          Fault::CrashBefore, Fault::CrashAfter,  Fault::Conflict,
                                          Fault::Timeout,     Fault::LostReply,   Fault::Late};
  const Fault chosen =
      piece ? kOfPieces.at(baton.draw(kOfPieces.size())) : kOfCalls.at(baton.draw(kOfCalls.size()));
  narrate(fmt::format("fault: {} hits {} {} of {}", to_string(chosen), to_string(point.call), point.kind,
                      baton.process()));
  act(fmt::format("fault {}", to_string(chosen)));
  return chosen;
}

void JoiningStage::narrate(std::string_view line) const {
  if (!options.story) return;
  const Nanoseconds at = baton.steady_now().time_since_epoch() - std::chrono::hours(1);
  options.story(fmt::format("{:>9.3f}  {}", std::chrono::duration<double>(at).count(), line));
}

void JoiningStage::broke(std::string what) {
  if (what.empty()) return;
  narrate("BROKEN: " + what);
  if (verdict.broken.empty()) verdict.broken = std::move(what);
}

Nanoseconds JoiningStage::some_clock_off(std::string_view whose) {
  const std::uint64_t which = baton.draw(6);
  if (which > 1 || !options.faults) return {};
  act(fmt::format("clock of a {} off", whose));
  return which == 0 ? std::chrono::hours(1) : -std::chrono::hours(1);
}

VmWorld JoiningStage::vm_world() {
  return {.baton = baton,
          .offered = offered,
          .clock_off = some_clock_off("machine"),
          .strikes = [this](std::uint64_t per_thousand) { return strikes(per_thousand); },
          .broke = [this](std::string what) { broke(std::move(what)); },
          .narrate = [this](std::string_view line) { narrate(line); }};
}

agent::Dial JoiningStage::dial_of(const std::string& machine) {
  return [this, machine](const kube::Connection& to) -> Result<std::unique_ptr<kube::Client>> {
    return std::make_unique<fakes::FaultyClient>(gate.open(machine, to), baton, baton,
                                                 plan_for(*this, "agent-" + machine));
  };
}

void JoiningStage::choose_spec(const std::string& node_config) {
  static constexpr std::array<std::string_view, 3> kFormats = {"cloud-config", "ignition", "script"};
  spec.format = Text(kFormats.at(baton.draw(kFormats.size())));
  spec.node_config_ref = api::NodeConfigRef{.name = Text(node_config)};
}

void JoiningStage::settle(SimMachine& machine) {
  machine.settled = baton.steady_now();
  machine.settled_at = Time::from(baton.now());
}

}  // namespace capstan::joining
