#include "infrastructure/controller/cluster/orphans.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "api/policy/fleet_request.h"
#include "api/policy/names.h"
#include "base/safeguards.h"
#include "infrastructure/controller/brakes.h"

namespace capstan::infrastructure::cluster {
namespace {

constexpr std::size_t kMarksPerTurn = 20;
constexpr std::size_t kMostInStatus = 50;
constexpr std::size_t kMostInNote = 10;
constexpr std::size_t kLongestName = 253;  // that the status holds

bool may_be_deleted(const Finding& vm);
bool has_place_to_give_up(const api::Cluster& cluster, const OrphanSettings& settings);
std::string why_it_is_there(const Finding& vm, const Observation& seen);
std::string what_it_lacks(const Finding& vm);
bool is_listed(const api::DriverClusterStatus& status, const Text& provider_id);
std::string first_of(const std::vector<std::string>& names);

}  // namespace

void look_after_orphans(const Observation& seen, Plan& plan) {
  if (!seen.orphans || seen.object->spec.cluster_key.empty()) return;
  const OrphanSettings& settings = seen.orphan_settings;
  if (!why_held(*seen.cluster, settings).empty()) return;
  std::size_t marks = 0;
  std::size_t deleted = seen.orphans->deleted;
  bool removes = false;
  for (const Finding& vm : seen.orphans->findings) {
    if (!is_suspect(vm.standing))
      plan.actions.emplace_back(UnmarkVm{.vm = vm});
    else if (!vm.since && marks++ < kMarksPerTurn)
      plan.actions.emplace_back(MarkOrphan{.vm = vm});
    else if (settings.action == OrphanAction::Delete && may_be_deleted(vm) && deleted < settings.per_period) {
      ++deleted;
      removes = true;
      plan.actions.emplace_back(RemoveOrphan{.vm = vm});
    }
  }
  if (!removes && has_place_to_give_up(*seen.cluster, settings)) plan.actions.emplace_back(GiveUpPlace());
}

void list_orphans(const Observation& seen, const Effects& effects, api::DriverClusterStatus& status) {
  status.orphans = {};
  for (const Finding& vm : seen.orphans->findings) {
    if (!is_suspect(vm.standing) || effects.settled.contains(vm.provider_id)) continue;
    if (is_listed(status, Text(vm.provider_id))) continue;  // a driver may name one twice
    if (status.orphans.size() == kMostInStatus) break;
    const auto marked = effects.marked.find(vm.provider_id);
    const auto kept = effects.kept.find(vm.provider_id);
    const std::string why = kept != effects.kept.end() ? kept->second : why_it_is_there(vm, seen);
    status.orphans.push_back(
        {.provider_id = Text(vm.provider_id),
         .name = Text(vm.name.substr(0, kLongestName)),
         .account = Text(vm.account),
         .since = marked != effects.marked.end() ? marked->second : vm.since.value_or(Time()),
         .why = Text(what_it_lacks(vm) + "; " + why)});
  }
}

void add_notes_of_orphans(const api::DriverClusterStatus& before, const api::DriverClusterStatus& after,
                          const Effects& effects, std::vector<runtime::Note>& notes) {
  std::vector<std::string> found;
  for (const auto& vm : after.orphans) {
    if (!is_listed(before, vm.provider_id)) found.push_back(vm.name.str());
  }
  if (!found.empty())
    notes.push_back({.code = api::NoteCode::OrphanFound,
                     .text = fmt::format("{} VMs with the key of this cluster are no object's: {}",
                                         found.size(), first_of(found))});
  notes.insert(notes.end(), effects.notes.begin(), effects.notes.end());
}

std::vector<runtime::Note> last_notes_of_orphans(const api::DriverClusterStatus& status) {
  if (status.orphans.empty()) return {};
  std::vector<std::string> left;
  for (const auto& vm : status.orphans) left.push_back(vm.name.str());
  return {
      {.code = api::NoteCode::OrphanFound,
       .text = fmt::format("{} VMs with the key of this cluster were no object's when it was deleted, and "
                           "are looked for no more: {}",
                           left.size(), first_of(left))}};
}

std::string_view why_held(const api::Cluster& cluster, const OrphanSettings& settings) {
  if (settings.frozen || is_frozen(cluster)) return "kept while the cluster is frozen";
  if (is_out_of_reach(cluster) && !is_off(Safeguard::OrphanChecks))
    return "kept while the API server of the cluster is out of reach";
  return {};
}

namespace {

// A grant without a request was used: the controller of the FleetPolicy counts it, and takes it off.
bool has_place_to_give_up(const api::Cluster& cluster, const OrphanSettings& settings) {
  return settings.has_limits ? cluster.metadata.annotations.contains(api::policy::annotation::kFleetRequest)
                             : api::policy::concerns_fleet(cluster.metadata);
}

bool may_be_deleted(const Finding& vm) {
  return vm.since && vm.kept.empty() && (vm.confirmed || is_off(Safeguard::OrphanChecks));
}

std::string why_it_is_there(const Finding& vm, const Observation& seen) {
  const OrphanSettings& settings = seen.orphan_settings;
  if (!vm.kept.empty()) return vm.kept;
  if (seen.cluster && !why_held(*seen.cluster, settings).empty())
    return std::string(why_held(*seen.cluster, settings));
  if (settings.action == OrphanAction::Report) return "only reported, as the FleetPolicy says";
  if (!vm.confirmed) return "kept until another complete list shows it";
  return fmt::format("in line: {} of a cluster goes in {} s", settings.per_period, settings.period.count());
}

std::string what_it_lacks(const Finding& vm) {
  if (vm.standing == Standing::Second) return "a second VM of the key of " + owner_of_key(vm);
  return "no object has its key";
}

std::string first_of(const std::vector<std::string>& names) {
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(names.size(), kMostInNote));
  return fmt::format("{}{}", fmt::join(names.begin(), end, ", "), end == names.end() ? "" : ", ...");
}

bool is_listed(const api::DriverClusterStatus& status, const Text& provider_id) {
  return std::ranges::any_of(status.orphans,
                             [&](const auto& each) { return each.provider_id == provider_id; });
}

}  // namespace
}  // namespace capstan::infrastructure::cluster
