#include "cmd/dev/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <iterator>
#include <map>

#include "api/conditions/conditions.h"
#include "api/names.h"

namespace capstan::dev {
namespace {

namespace conditions = api::conditions;
namespace json = boost::json;

constexpr std::size_t kWhyWidth = 90;

template <typename T>
std::string full_name(const T& object) {
  return object.metadata.namespace_.str() + "/" + object.metadata.name.str();
}

// A message with bullets and line breaks, for a place where only one line fits.
std::string one_line(std::string_view message) {
  std::string line;
  bool begins = true;
  for (const char letter : message) {
    if (letter == '\n') {
      line += line.ends_with(':') ? " " : "; ";
      begins = true;
    } else if (!begins || (letter != ' ' && letter != '*')) {
      line += letter;
      begins = false;
    }
  }
  if (line.size() > kWhyWidth) line = line.substr(0, kWhyWidth - 3) + "...";
  return line;
}

// What the condition says is missing.
std::string reason_not(const api::Conditions& list, std::string_view type) {
  const auto condition = conditions::find(list, type);
  if (condition == nullptr || condition->status == api::status::kTrue) return {};
  return one_line(condition->message.empty() ? condition->reason.view() : condition->message.view());
}

ClusterRow row_of(const api::Cluster& cluster) {
  ClusterRow row{.name = full_name(cluster),
                 .phase = cluster.status.phase.str(),
                 .available = conditions::is_true(cluster.status.conditions, api::condition::kAvailable),
                 .why = reason_not(cluster.status.conditions, api::condition::kAvailable)};
  const auto& endpoint = cluster.spec.control_plane_endpoint;
  if (endpoint.valid()) row.endpoint = fmt::format("{}:{}", endpoint.host.view(), *endpoint.port);
  return row;
}

GroupRow row_of(const api::MachineDeployment& deployment) {
  const auto& status = deployment.status;
  return {.name = full_name(deployment),
          .kind = std::string(api::kind::kMachineDeployment),
          .cluster = deployment.spec.cluster_name.str(),
          .version = deployment.spec.machine_template.spec.version.str(),
          .desired = deployment.spec.replicas.value_or(1),
          .replicas = status.replicas.value_or(0),
          .ready = status.ready_replicas.value_or(0),
          .available = status.available_replicas.value_or(0),
          .up_to_date = status.up_to_date_replicas.value_or(0),
          .current = status.observed_generation == deployment.metadata.generation,
          .rolling = conditions::is_true(status.conditions, api::condition::kRollingOut),
          .why = reason_not(status.conditions, api::condition::kAvailable)};
}

// What the infrastructure says comes first: it is the cause, too few instances are the effect.
std::string why_not(const api::Conditions& list) {
  std::string why = reason_not(list, api::condition::kInfrastructureReady);
  return why.empty() ? reason_not(list, api::condition::kAvailable) : why;
}

// No pool rolls by itself: its status alone shows whether it is as wished.
GroupRow row_of(const api::MachinePool& pool) {
  const auto& status = pool.status;
  return {.name = full_name(pool),
          .kind = std::string(api::kind::kMachinePool),
          .cluster = pool.spec.cluster_name.str(),
          .version = pool.spec.machine_template.spec.version.str(),
          .desired = pool.spec.replicas.value_or(1),
          .replicas = status.replicas.value_or(0),
          .ready = status.ready_replicas.value_or(0),
          .available = status.available_replicas.value_or(0),
          .up_to_date = status.up_to_date_replicas.value_or(0),
          .current = status.observed_generation == pool.metadata.generation,
          .why = why_not(status.conditions)};
}

std::string owner_of(const api::Machine& machine) {
  const auto& labels = machine.metadata.labels;
  const auto deployment = labels.value_or_empty(api::label::kDeploymentName);
  return std::string(deployment.empty() ? labels.value_or_empty(api::label::kPoolName) : deployment);
}

MachineRow row_of(const api::Machine& machine) {
  MachineRow row{.name = full_name(machine),
                 .cluster = machine.spec.cluster_name.str(),
                 .owner = owner_of(machine),
                 .phase = machine.status.phase.str(),
                 .version = machine.spec.version.str(),
                 .available = conditions::is_true(machine.status.conditions, api::condition::kAvailable)};
  if (machine.status.node_ref) row.node = machine.status.node_ref->name.str();
  if (machine.metadata.deleting()) {
    const auto deleting = conditions::find(machine.status.conditions, api::condition::kDeleting);
    const bool explained = deleting != nullptr && deleting->status == api::status::kTrue;
    row.phase = "Deleting";
    row.available = false;
    row.why = explained ? one_line(deleting->message.view()) : "";
  } else if (!row.available) {
    row.why = reason_not(machine.status.conditions, api::condition::kReady);
  }
  return row;
}

template <typename Row>
std::map<std::string, Row> by_name(const std::vector<Row>& rows) {
  std::map<std::string, Row> named;
  for (const Row& row : rows) named.emplace(row.name, row);
  return named;
}

std::string describe(const ClusterRow& row) {
  return fmt::format("Cluster {} is {}{}{}", row.name, row.phase.empty() ? "new" : row.phase,
                     row.endpoint.empty() ? "" : " at " + row.endpoint,
                     row.why.empty() ? "" : ": " + row.why);
}

std::string describe(const GroupRow& row) {
  return fmt::format("{} {} {}: {} wanted, {} there, {} up to date, {} available{}", row.kind, row.name,
                     row.version, row.desired, row.replicas, row.up_to_date, row.available,
                     row.rolling ? ", rolling" : "");
}

std::string describe(const MachineRow& row) {
  return fmt::format("Machine {}{}{} is {}{}{}", row.name, row.version.empty() ? "" : " ", row.version,
                     row.available       ? "Available"
                     : row.phase.empty() ? "new"
                                         : row.phase,
                     row.node.empty() ? "" : " on node " + row.node, row.why.empty() ? "" : ": " + row.why);
}

std::vector<GroupRow> of_kind(const std::vector<GroupRow>& rows, std::string_view kind) {
  std::vector<GroupRow> chosen;
  std::ranges::copy_if(rows, std::back_inserter(chosen),
                       [&](const GroupRow& row) { return row.kind == kind; });
  return chosen;
}

std::string section(const std::vector<GroupRow>& rows, std::string_view title) {
  std::string text = fmt::format("\n{:<28} {:<9} {:>7} {:>7} {:>10} {:>9}\n", title, "VERSION", "DESIRED",
                                 "THERE", "UP-TO-DATE", "AVAILABLE");
  for (const auto& row : rows)
    text += fmt::format("{:<28} {:<9} {:>7} {:>7} {:>10} {:>9} {}\n", row.name, row.version, row.desired,
                        row.replicas, row.up_to_date, row.available, row.rolling ? "rolling" : "");
  return text;
}

template <typename Row>
void add_changes(const std::vector<Row>& before, const std::vector<Row>& after, std::string_view kind,
                 std::vector<std::string>& lines) {
  const auto were = by_name(before);
  const auto are = by_name(after);
  for (const auto& [name, row] : are) {
    const auto was = were.find(name);
    std::string line = describe(row);
    if (was == were.end() || describe(was->second) != line) lines.push_back(std::move(line));
  }
  for (const auto& [name, row] : were) {
    if (!are.contains(name)) lines.push_back(fmt::format("{} {} is gone", kind, name));
  }
}

}  // namespace

bool Fleet::settled() const {
  const bool clusters_up =
      std::ranges::all_of(clusters, [](const ClusterRow& row) { return row.phase == "Provisioned"; });
  return !clusters.empty() && clusters_up && std::ranges::all_of(groups, &GroupRow::settled) &&
         std::ranges::all_of(machines, &MachineRow::available);
}

Fleet look_at(const controllers::Caches& caches) {
  Fleet fleet;
  for (const auto& cluster : caches.clusters.all()) fleet.clusters.push_back(row_of(*cluster));
  for (const auto& deployment : caches.machine_deployments.all()) fleet.groups.push_back(row_of(*deployment));
  for (const auto& pool : caches.machine_pools.all()) fleet.groups.push_back(row_of(*pool));
  for (const auto& machine : caches.machines.all()) fleet.machines.push_back(row_of(*machine));
  return fleet;
}

std::string table(const Fleet& fleet, std::size_t machines) {
  std::string text = fmt::format("{:<28} {:<14} {:<22} {}\n", "CLUSTER", "PHASE", "ENDPOINT", "");
  for (const auto& row : fleet.clusters)
    text += fmt::format("{:<28} {:<14} {:<22} {}\n", row.name, row.phase, row.endpoint, row.why);
  text += section(of_kind(fleet.groups, api::kind::kMachineDeployment), "MACHINEDEPLOYMENT");
  if (const auto pools = of_kind(fleet.groups, api::kind::kMachinePool); !pools.empty())
    text += section(pools, "MACHINEPOOL");
  std::vector<MachineRow> rows = fleet.machines;
  std::ranges::stable_partition(rows, [](const MachineRow& row) { return !row.why.empty(); });
  text +=
      fmt::format("\n{:<36} {:<14} {:<9} {:<22} {}\n", "MACHINE", "PHASE", "VERSION", "NODE", "WAITS FOR");
  for (std::size_t i = 0; i < rows.size() && i < machines; ++i)
    text += fmt::format("{:<36} {:<14} {:<9} {:<22} {}\n", rows[i].name,
                        rows[i].available ? "Available" : rows[i].phase, rows[i].version, rows[i].node,
                        rows[i].why);
  if (rows.size() > machines) text += fmt::format("... and {} more\n", rows.size() - machines);
  return text;
}

std::vector<std::string> waits(const Fleet& fleet) {
  std::vector<std::string> lines;
  if (fleet.clusters.empty()) lines.emplace_back("there is no Cluster");
  for (const auto& row : fleet.clusters) {
    if (row.phase != "Provisioned") lines.push_back(describe(row));
  }
  for (const auto& row : fleet.groups) {
    if (row.settled()) continue;
    std::string why = row.why;
    if (!row.current) why = "its controller has not seen it yet";
    lines.push_back(describe(row) + (why.empty() ? "" : ": " + why));
  }
  for (const auto& row : fleet.machines) {
    if (!row.available) lines.push_back(describe(row));
  }
  return lines;
}

std::vector<std::string> news(const Fleet& before, const Fleet& after) {
  std::vector<std::string> lines;
  add_changes(before.clusters, after.clusters, api::kind::kCluster, lines);
  for (const auto kind : {api::kind::kMachineDeployment, api::kind::kMachinePool})
    add_changes(of_kind(before.groups, kind), of_kind(after.groups, kind), kind, lines);
  add_changes(before.machines, after.machines, api::kind::kMachine, lines);
  return lines;
}

json::value to_json(const Fleet& fleet) {
  json::array clusters;
  for (const auto& row : fleet.clusters)
    clusters.push_back({{"name", row.name},
                        {"phase", row.phase},
                        {"endpoint", row.endpoint},
                        {"available", row.available},
                        {"why", row.why}});
  json::array deployments;
  json::array pools;
  for (const auto& row : fleet.groups) {
    auto& groups = row.kind == api::kind::kMachinePool ? pools : deployments;
    groups.push_back({{"name", row.name},
                      {"kind", row.kind},
                      {"cluster", row.cluster},
                      {"version", row.version},
                      {"desired", row.desired},
                      {"replicas", row.replicas},
                      {"ready", row.ready},
                      {"available", row.available},
                      {"upToDate", row.up_to_date},
                      {"rolling", row.rolling},
                      {"why", row.why}});
  }
  json::array machines;
  for (const auto& row : fleet.machines)
    machines.push_back({{"name", row.name},
                        {"cluster", row.cluster},
                        {"owner", row.owner},
                        {"phase", row.phase},
                        {"version", row.version},
                        {"node", row.node},
                        {"available", row.available},
                        {"why", row.why}});
  return {{"settled", fleet.settled()},
          {"clusters", std::move(clusters)},
          {"machineDeployments", std::move(deployments)},
          {"machinePools", std::move(pools)},
          {"machines", std::move(machines)}};
}

}  // namespace capstan::dev
