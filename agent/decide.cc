#include "agent/decide.h"

#include <algorithm>

#include "agent/checksum.h"
#include "agent/places.h"

namespace capstan::agent {
namespace {

constexpr unsigned kTokenMode = 0600;
constexpr unsigned kProgramMode = 0755;

Mark with_mode(Mark mark, unsigned mode) {
  mark.mode = mode;
  return mark;
}

const FileFacts* on_disk(const Seen& seen, const std::string& path) {
  const auto found = seen.disk.find(path);
  return found == seen.disk.end() ? nullptr : &found->second;
}

bool is_wanted(const Wanted& wanted, const std::string& path) {
  return std::ranges::find(wanted.files, path, &WantedFile::path) != wanted.files.end();
}

bool is_listed(const Wanted& wanted, const std::string& unit) {
  return std::ranges::find(wanted.units, unit, &WantedUnit::name) != wanted.units.end();
}

void owe_restarts(const std::set<std::string>& units, const Wanted& wanted, State& state) {
  for (const std::string& unit : units)
    if (wanted.runs(unit)) state.restarts.insert(unit);
}

// The kubelet has a certificate of its own: what let it in goes off the disk.
void forget_token(const Seen& seen, Plan& plan) {
  if (on_disk(seen, seen.places.bootstrap_kubeconfig) != nullptr)
    plan.steps.emplace_back(RemoveFile{seen.places.bootstrap_kubeconfig});
  else
    plan.state.files.erase(seen.places.bootstrap_kubeconfig);
  if (!seen.facts_without_token.empty())
    plan.steps.emplace_back(WriteFile{.path = seen.facts_path,
                                      .content = seen.facts_without_token,
                                      .mark = with_mode(seen.own, kTokenMode)});
}

// A unit stops before its file goes: afterwards systemd would not know it.
void remove_unwanted(const Seen& seen, Plan& plan) {
  for (const auto& [path, units] : seen.state.files) {
    if (is_wanted(*seen.wanted, path) || path == seen.places.bootstrap_kubeconfig) continue;
    const auto unit = unit_of(path);
    const bool goes = unit && !is_listed(*seen.wanted, *unit);
    if (goes && on_disk(seen, path) != nullptr) plan.steps.emplace_back(DisableUnit{*unit});
    if (goes) plan.state.restarts.erase(*unit);
    plan.steps.emplace_back(RemoveFile{path});
    owe_restarts(units, *seen.wanted, plan.state);
    if (is_of_systemd(path)) plan.state.reload = true;
  }
}

void write_file(const Seen& seen, const WantedFile& file, Plan& plan) {
  const FileFacts* there = on_disk(seen, file.path);
  const bool same = there != nullptr && *there == FileFacts{.checksum = file.checksum, .mark = file.mark};
  const bool written_before = seen.state.files.contains(file.path);
  if (file.kept) plan.state.files.erase(file.path);
  if (!file.kept && (!same || written_before)) plan.state.files[file.path] = file.units;
  if (same) return;
  plan.steps.emplace_back(WriteFile{.path = file.path, .content = file.content, .mark = file.mark});
  owe_restarts(file.units, *seen.wanted, plan.state);
  if (is_of_systemd(file.path)) plan.state.reload = true;
}

bool lacks_kubelet(const Seen& seen) {
  if (seen.wanted == nullptr || !seen.wanted->kubelet) return false;
  const FileFacts* there = on_disk(seen, seen.wanted->kubelet->path);
  return there == nullptr || there->checksum != seen.wanted->kubelet->checksum;
}

FetchFile fetch_of_kubelet(const Seen& seen) {
  const WantedProgram& kubelet = *seen.wanted->kubelet;
  return {.path = kubelet.path,
          .url = kubelet.url,
          .checksum = kubelet.checksum,
          .mark = with_mode(seen.own, kProgramMode)};
}

// A machine joins with the kubelet that is wanted. A Node has one, and its other units do not wait for the
// download.
void fetch_kubelet(const Seen& seen, Plan& plan) {
  if (!lacks_kubelet(seen)) return;
  if (!seen.joined) plan.steps.emplace_back(fetch_of_kubelet(seen));
  owe_restarts({seen.places.unit}, *seen.wanted, plan.state);
}

void fetch_kubelet_of_node(const Seen& seen, Plan& plan) {
  if (!seen.joined || !lacks_kubelet(seen)) return;
  FetchFile fetch = fetch_of_kubelet(seen);
  fetch.unit = seen.places.unit;
  plan.steps.emplace_back(std::move(fetch));
}

// Last of the files, so that a kubelet that waits for it finds the others. It is remembered as one of them:
// the token does not stay behind when another place is named.
void let_kubelet_join(const Seen& seen, Plan& plan) {
  if (seen.joined || seen.bootstrap_kubeconfig.empty()) return;
  const Mark mark = with_mode(seen.own, kTokenMode);
  plan.state.files[seen.places.bootstrap_kubeconfig] = {};
  const FileFacts* there = on_disk(seen, seen.places.bootstrap_kubeconfig);
  if (there != nullptr && *there == FileFacts{checksum_of(seen.bootstrap_kubeconfig), mark}) return;
  plan.steps.emplace_back(WriteFile{
      .path = seen.places.bootstrap_kubeconfig, .content = seen.bootstrap_kubeconfig, .mark = mark});
}

void set_unit(const WantedUnit& unit, Plan& plan) {
  const auto known = plan.state.units.find(unit.name);
  if (known != plan.state.units.end() && known->second == unit.enabled) return;
  if (unit.enabled)
    plan.steps.emplace_back(EnableUnit{.name = unit.name, .start = !plan.state.restarts.contains(unit.name)});
  else
    plan.steps.emplace_back(DisableUnit{unit.name});
}

// Those that are no longer listed are left as they are, and looked at anew when they are listed again.
void forget_units(const Seen& seen, Plan& plan) {
  std::erase_if(plan.state.units, [&](const auto& unit) {
    return unit.first != seen.places.unit && !is_listed(*seen.wanted, unit.first);
  });
}

void set_units(const Seen& seen, Plan& plan) {
  forget_units(seen, plan);
  for (const WantedUnit& unit : seen.wanted->units)
    if (unit.enabled) set_unit(unit, plan);
  if (!seen.joined && !is_listed(*seen.wanted, seen.places.unit)) set_unit({.name = seen.places.unit}, plan);
}

void disable_units(const Seen& seen, Plan& plan) {
  for (const WantedUnit& unit : seen.wanted->units) {
    if (unit.enabled) continue;
    plan.state.restarts.erase(unit.name);
    set_unit(unit, plan);
  }
}

void restart_if_owed(const std::string& unit, Plan& plan) {
  if (plan.state.restarts.contains(unit)) plan.steps.emplace_back(RestartUnit{unit});
}

// The kubelet's comes after the others. The agent's own is not among them: its restart ends this process.
void restart_units(const Seen& seen, Plan& plan) {
  for (const std::string& unit : plan.state.restarts)
    if (unit != kOwnUnit && unit != seen.places.unit) plan.steps.emplace_back(RestartUnit{unit});
  fetch_kubelet_of_node(seen, plan);
  restart_if_owed(seen.places.unit, plan);
}

}  // namespace

Plan decide(const Seen& seen) {
  Plan plan{.state = seen.state};
  if (seen.joined) forget_token(seen, plan);
  if (seen.wanted != nullptr) {
    remove_unwanted(seen, plan);
    for (const WantedFile& file : seen.wanted->files) write_file(seen, file, plan);
    fetch_kubelet(seen, plan);
    let_kubelet_join(seen, plan);
  }
  if (plan.state.reload) plan.steps.emplace_back(ReloadUnits{});
  if (seen.wanted != nullptr) {
    set_units(seen, plan);
    disable_units(seen, plan);
  }
  restart_units(seen, plan);
  if (seen.wanted != nullptr && seen.state.applied != seen.wanted->checksum)
    plan.steps.emplace_back(NoteApplied{seen.wanted->checksum});
  restart_if_owed(std::string(kOwnUnit), plan);
  return plan;
}

std::vector<std::string> paths_to_look_at(const State& state, const Wanted* wanted,
                                          const KubeletPlaces& places) {
  std::vector<std::string> paths = {places.bootstrap_kubeconfig};
  for (const auto& [path, units] : state.files) paths.push_back(path);
  if (wanted == nullptr) return paths;
  for (const WantedFile& file : wanted->files) paths.push_back(file.path);
  if (wanted->kubelet) paths.push_back(wanted->kubelet->path);
  return paths;
}

}  // namespace capstan::agent
