#include "agent/steps.h"

#include "agent/wanted.h"

namespace capstan::agent {
namespace {

struct InWords {
  std::string operator()(const WriteFile& step) const { return "write " + step.path; }
  std::string operator()(const FetchFile& step) const { return "fetch " + step.path; }
  std::string operator()(const RemoveFile& step) const { return "remove " + step.path; }
  std::string operator()(const ReloadUnits&) const { return "reload units"; }
  std::string operator()(const EnableUnit& step) const {
    return (step.start ? "enable and start " : "enable ") + step.name;
  }
  std::string operator()(const DisableUnit& step) const { return "disable " + step.name; }
  std::string operator()(const RestartUnit& step) const { return "restart " + step.name; }
  std::string operator()(const NoteApplied& step) const { return "applied " + step.checksum; }
};

struct Remember {
  State& state;
  void operator()(const WriteFile&) const {}
  void operator()(const FetchFile&) const {}
  void operator()(const RemoveFile& step) const {
    state.files.erase(step.path);
    if (const auto unit = unit_of(step.path)) state.units.erase(*unit);
  }
  void operator()(const ReloadUnits&) const { state.reload = false; }
  void operator()(const EnableUnit& step) const { state.units[step.name] = true; }
  void operator()(const DisableUnit& step) const { state.units[step.name] = false; }
  void operator()(const RestartUnit& step) const { state.restarts.erase(step.name); }
  void operator()(const NoteApplied& step) const { state.applied = step.checksum; }
};

}  // namespace

std::string describe(const Step& step) { return std::visit(InWords(), step); }

State after(State state, const Step& step) {
  std::visit(Remember{state}, step);
  return state;
}

bool may_fail_alone(const Step& step) {
  const auto* fetch = std::get_if<FetchFile>(&step);
  return (fetch != nullptr && !fetch->unit.empty()) || std::holds_alternative<EnableUnit>(step) ||
         std::holds_alternative<RestartUnit>(step);
}

}  // namespace capstan::agent
