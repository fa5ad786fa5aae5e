#include "controllers/machineset/counters.h"

#include <algorithm>
#include <iterator>
#include <map>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "base/version.h"

namespace capstan::controllers::machineset {
namespace {

using api::Machine;

std::int32_t number(std::ptrdiff_t count) { return static_cast<std::int32_t>(count); }

// They are there: a MachineDeployment deletes an old MachineSet that reports no replicas.
std::ptrdiff_t unreadable_of_its_own(const Observation& seen) {
  return std::ranges::count_if(seen.unreadable, [&](const runtime::Unreadable& machine) {
    return machine.metadata_read && machine.may_be_owned_by(seen.stored->metadata.uid);
  });
}

// True, and not in the middle of an update in place.
std::int32_t count_true(const Machines& machines, std::string_view type) {
  return number(std::ranges::count_if(machines, [&](const Snapshot<Machine>& machine) {
    return !machine->metadata.annotations.contains(api::annotation::kUpdateInProgress) &&
           api::conditions::is_true(machine->status.conditions, type);
  }));
}

std::string_view version_of(const Machine& machine) {
  const Text& runs = machine.status.node_info->kubelet_version;
  return runs.empty() ? machine.spec.version.view() : runs.view();
}

// By version, then as text, which tells builds apart; what is no version comes last.
bool is_older(std::string_view left, std::string_view right) {
  const auto a = Version::parse_tolerant(left);
  const auto b = Version::parse_tolerant(right);
  if (a.has_value() != b.has_value()) return a.has_value();
  if (a && b && *a != *b) return *a < *b;
  return left < right;
}

api::List<api::VersionCount> versions(const Machines& machines) {
  std::map<std::string_view, std::int32_t> counted;
  for (const auto& machine : machines) {
    if (const auto version = version_of(*machine); !version.empty()) ++counted[version];
  }
  std::vector<std::pair<std::string_view, std::int32_t>> sorted(counted.begin(), counted.end());
  std::ranges::sort(sorted, is_older, [](const auto& entry) { return entry.first; });
  std::vector<api::VersionCount> list;
  for (const auto& [version, replicas] : sorted) {
    list.push_back({.version = Text(version), .replicas = replicas});
  }
  return list;
}

bool carries_all(const api::Labels& labels, const api::Labels& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& entry) {
    const Text* found = labels.find(entry.first);
    return found != nullptr && *found == entry.second;
  });
}

std::int32_t on_nodes(const Machines& machines) {
  return number(std::ranges::count_if(
      machines, [](const Snapshot<Machine>& machine) { return machine->status.node_ref.has_value(); }));
}

const api::NodeCondition* ready_of(const Snapshot<api::Node>& node) {
  if (!node) return nullptr;
  const auto found = std::ranges::find_if(
      node->status.conditions, [](const auto& each) { return each.type == api::condition::kReady; });
  return found == node->status.conditions.end() || found->status != api::status::kTrue ? nullptr : &*found;
}

}  // namespace

void count(const Observation& seen, std::span<const std::string> just_deleted,
           api::MachineSetStatus& status) {
  status.replicas = number(std::ssize(seen.machines) + unreadable_of_its_own(seen));
  status.ready_replicas = count_true(seen.machines, api::condition::kReady);
  Machines staying;
  std::ranges::copy_if(seen.machines, std::back_inserter(staying), [&](const auto& machine) {
    return !machine->metadata.deleting() &&
           std::ranges::find(just_deleted, machine->metadata.name.view()) == just_deleted.end();
  });
  status.available_replicas = count_true(staying, api::condition::kAvailable);
  status.up_to_date_replicas = count_true(seen.machines, api::condition::kUpToDate);
  status.versions = versions(seen.machines);
}

void count_v1beta1(const Observation& seen, api::V1Beta1MachineSetStatus& status) {
  status.fully_labeled_replicas = number(std::ranges::count_if(seen.machines, [&](const auto& machine) {
    return carries_all(machine->metadata.labels, seen.set.spec.machine_template.metadata.labels);
  }));
  if (!seen.sees_nodes) {
    const std::int32_t most = on_nodes(seen.machines);
    status.ready_replicas = std::min(status.ready_replicas, most);
    status.available_replicas = std::min(status.available_replicas, most);
    return;
  }
  const Seconds patience(seen.set.spec.machine_template.spec.min_ready_seconds.value_or(0));
  status.ready_replicas = 0;
  status.available_replicas = 0;
  for (const auto& node : seen.nodes) {
    const auto* ready = ready_of(node);
    if (ready == nullptr) continue;
    ++status.ready_replicas;
    if (patience.count() == 0 || seen.now - ready->last_transition_time > patience) {
      ++status.available_replicas;
    }
  }
}

}  // namespace capstan::controllers::machineset
