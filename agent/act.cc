#include "agent/act.h"

#include <set>

#include "agent/memory.h"
#include "agent/places.h"
#include "base/safeguards.h"
#include "base/try.h"

namespace capstan::agent {
namespace {

constexpr auto kLongestFetch = std::chrono::minutes(15);

class Doer {
 public:
  Doer(const Tools& tools, const std::stop_token& stop) : tools_(tools), stop_(stop) {}

  Result<void> operator()(const WriteFile& step) const {
    return tools_.root.write(step.path, step.content, step.mark);
  }
  Result<void> operator()(const FetchFile& step) const {
    PendingFile file = TRY(tools_.root.begin(step.path));
    auto fetched = tools_.fetch(step.url, file, Deadline::in(tools_.clock, kLongestFetch, stop_));
    if (fetched && file.checksum() != step.checksum && !is_off(Safeguard::Checksums))
      fetched = fail(Code::Invalid, "what came has another checksum");
    if (!fetched) {
      file.discard();
      return fetched;
    }
    return file.commit(step.mark);
  }
  Result<void> operator()(const RemoveFile& step) const { return tools_.root.remove(step.path); }
  Result<void> operator()(const ReloadUnits&) const { return run({"daemon-reload"}); }
  Result<void> operator()(const EnableUnit& step) const {
    if (step.start) return run({"enable", "--now", "--", step.name});
    return run({"enable", "--", step.name});
  }
  Result<void> operator()(const DisableUnit& step) const {
    return run({"disable", "--now", "--", step.name});
  }
  Result<void> operator()(const RestartUnit& step) const {
    if (step.name == kOwnUnit) return run({"restart", "--no-block", "--", step.name});
    return run({"restart", "--", step.name});
  }
  Result<void> operator()(const NoteApplied&) const { return {}; }

 private:
  Result<void> run(const std::vector<std::string>& words) const {
    tools_.threads.switch_point("before systemctl");
    auto ran = tools_.systemctl.run(words);
    tools_.threads.switch_point("after systemctl");
    return ran;
  }

  const Tools& tools_;
  const std::stop_token& stop_;
};

// A process that restarts itself is not there to remember it afterwards.
bool ends_this_process(const Step& step) { return step == Step(RestartUnit{std::string(kOwnUnit)}); }

class Carrying {
 public:
  Carrying(const Tools& tools, const State& before) : tools_(tools), outcome_{.state = before} {}

  bool remember(State next) {
    if (next == outcome_.state) return true;
    if (auto saved = save_state(tools_.root, next, tools_.own); !saved)
      return failed("remember", saved.error());
    outcome_.state = std::move(next);
    return true;
  }
  // False: what follows must not be done.
  bool take(const Step& step, const Doer& doer) {
    if (std::holds_alternative<NoteApplied>(step) && !outcome_.is_whole()) return true;
    if (waits(step)) return true;
    if (ends_this_process(step) && !remember(after(outcome_.state, step))) return false;
    tools_.log.info("step", {{"does", describe(step)}});
    if (auto done = std::visit(doer, step); !done) {
      note(step, done.error());
      return may_fail_alone(step);
    }
    return remember(after(outcome_.state, step));
  }
  Outcome outcome() && { return std::move(outcome_); }

 private:
  bool failed(std::string_view what, const Error& error) {
    outcome_.errors.push_back(error.context(what).message);
    return false;
  }
  void note(const Step& step, const Error& error) {
    const auto* fetch = std::get_if<FetchFile>(&step);
    const bool is_waited_for = fetch != nullptr && !fetch->unit.empty();
    if (is_waited_for) waiting_.insert(fetch->unit);
    (is_waited_for ? outcome_.missing : outcome_.errors).push_back(error.context(describe(step)).message);
  }
  // It is still owed, and done once the download came.
  bool waits(const Step& step) const {
    const auto* restart = std::get_if<RestartUnit>(&step);
    return restart != nullptr && waiting_.contains(restart->name);
  }

  const Tools& tools_;
  std::set<std::string> waiting_ = {};  // units whose download failed
  Outcome outcome_;
};

}  // namespace

Outcome act(const Tools& tools, const State& before, Plan plan, const std::stop_token& stop) {
  Carrying carrying(tools, before);
  const Doer doer(tools, stop);
  bool going = carrying.remember(std::move(plan.state));
  for (const Step& step : plan.steps) {
    if (!going || stop.stop_requested()) break;
    going = carrying.take(step, doer);
  }
  return std::move(carrying).outcome();
}

}  // namespace capstan::agent
