#include "cmd/dev/fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
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
  const auto* condition = conditions::find(list, type);
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

MachineRow row_of(const api::Machine& machine) {
  MachineRow row{.name = full_name(machine),
                 .cluster = machine.spec.cluster_name.str(),
                 .owner = std::string(machine.metadata.labels.value_or_empty(api::label::kDeploymentName)),
                 .phase = machine.status.phase.str(),
                 .version = machine.spec.version.str(),
                 .available = conditions::is_true(machine.status.conditions, api::condition::kAvailable)};
  if (machine.status.node_ref) row.node = machine.status.node_ref->name.str();
  if (machine.metadata.deleting()) {
    const auto* deleting = conditions::find(machine.status.conditions, api::condition::kDeleting);
    row.why = deleting == nullptr ? "deleting" : one_line(deleting->message.view());
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
  return fmt::format("Machine {} {} is {}{}{}", row.name, row.version,
                     row.available       ? "Available"
                     : row.phase.empty() ? "new"
                                         : row.phase,
                     row.node.empty() ? "" : " on node " + row.node, row.why.empty() ? "" : ": " + row.why);
}

template <typename Row>
void tell(const std::vector<Row>& before, const std::vector<Row>& after, std::string_view kind,
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
  for (const auto& machine : caches.machines.all()) fleet.machines.push_back(row_of(*machine));
  return fleet;
}

std::string table(const Fleet& fleet, std::size_t machines) {
  std::string text = fmt::format("{:<28} {:<14} {:<22} {}\n", "CLUSTER", "PHASE", "ENDPOINT", "");
  for (const auto& row : fleet.clusters)
    text += fmt::format("{:<28} {:<14} {:<22} {}\n", row.name, row.phase, row.endpoint, row.why);
  text += fmt::format("\n{:<28} {:<9} {:>7} {:>7} {:>10} {:>9}\n", "MACHINEDEPLOYMENT", "VERSION", "DESIRED",
                      "THERE", "UP-TO-DATE", "AVAILABLE");
  for (const auto& row : fleet.groups)
    text += fmt::format("{:<28} {:<9} {:>7} {:>7} {:>10} {:>9} {}\n", row.name, row.version, row.desired,
                        row.replicas, row.up_to_date, row.available, row.rolling ? "rolling" : "");
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

std::vector<std::string> news(const Fleet& before, const Fleet& after) {
  std::vector<std::string> lines;
  tell(before.clusters, after.clusters, api::kind::kCluster, lines);
  tell(before.groups, after.groups, api::kind::kMachineDeployment, lines);
  tell(before.machines, after.machines, api::kind::kMachine, lines);
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
  json::array groups;
  for (const auto& row : fleet.groups)
    groups.push_back({{"name", row.name},
                      {"kind", row.kind},
                      {"cluster", row.cluster},
                      {"version", row.version},
                      {"desired", row.desired},
                      {"replicas", row.replicas},
                      {"ready", row.ready},
                      {"available", row.available},
                      {"upToDate", row.up_to_date},
                      {"rolling", row.rolling}});
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
          {"machineDeployments", std::move(groups)},
          {"machines", std::move(machines)}};
}

}  // namespace capstan::dev
