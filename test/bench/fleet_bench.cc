// Figures of a fleet on a real kube-apiserver: what a Machine costs from its creation to Available, until it
// is gone, and when it is rolled; counted by the audit logs of both servers and by the kernel.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/json.hpp>
#include <iterator>
#include <map>
#include <stdexcept>

#include "kube/resources.h"
#include "test/bench/bench_fleet.h"
#include "test/bench/fixed_work.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using envtest::AuditEntry;
using envtest::FleetBedOptions;
using std::chrono::minutes;

constexpr std::string_view kCluster = "demo";
constexpr std::string_view kPool = "pool";
constexpr int kWriters = 32;

int count_of(const Place& place, int usual) { return place.machines > 0 ? place.machines : usual; }

double in_fixed_work(double cpu_ms) {
  const double unit = fixed_work_ms();
  say(fmt::format("{:.2f} ms CPU per Machine; the fixed work takes {:.2f} ms now", cpu_ms, unit));
  return cpu_ms / unit;
}

void print_spent(std::string_view what, const Spent& spent, double machines) {
  say(fmt::format("--- {}: what the manager asked for, per Machine", what));
  say(envtest::breakdown(spent.manager, machines));
}

// --- the plain load client ---

struct Write {
  const AuditEntry* entry = nullptr;
  kube::Client* server = nullptr;
};
// The writes of one name on one server, in their order: a Machine's, its clones' and its Secret's; a Node's.
using Chain = std::vector<Write>;

bool is_of_the_fleet(const AuditEntry& entry) {
  return entry.agent.starts_with("capstan") || entry.agent == "simulated-kubelets";
}

// Of objects that were there before, no chain.
std::vector<Chain> chains_of(const std::vector<AuditEntry>& entries, kube::Client& server) {
  std::map<std::string, Chain> chains;
  for (const AuditEntry& entry : entries) {
    if (!is_of_the_fleet(entry) || !envtest::is_write(entry)) continue;
    if (!entry.body.empty() && entry.code < 300) chains[entry.object].push_back({&entry, &server});
  }
  std::vector<Chain> whole;
  for (auto& [name, chain] : chains) {
    if (std::ranges::any_of(chain, [](const Write& write) { return write.entry->code == 201; }))
      whole.push_back(std::move(chain));
  }
  return whole;
}

// Owners that are not there would get the copies collected, versions and uids are of the originals. An Event
// must be where its object is.
void detach(json::value& body) {
  if (!body.is_object()) return;
  if (auto* about = body.as_object().if_contains("involvedObject"))
    about->as_object()["namespace"] = "replay";
  auto* metadata = body.as_object().if_contains("metadata");
  if (metadata == nullptr) return;
  for (const char* own : {"ownerReferences", "uid", "resourceVersion", "managedFields", "finalizers"})
    metadata->as_object().erase(own);
  if (metadata->as_object().contains("namespace")) metadata->as_object()["namespace"] = "replay";
}

void drop_tests(json::value& body) {
  if (!body.is_array()) return;
  body = json::array{{{"op", "add"}, {"path", "/metadata/labels/replayed"}, {"value", "true"}}};
}

// "/apis/group/version/namespaces/ns/plural/name/status"
kube::Resource resource_of(const AuditEntry& entry) {
  const auto version_at = entry.group.empty() ? std::string("/api/").size()
                                              : std::string("/apis/").size() + entry.group.size() + 1;
  return {.group = entry.group,
          .version = entry.uri.substr(version_at, entry.uri.find('/', version_at) - version_at),
          .plural = entry.resource.substr(0, entry.resource.find('/')),
          .kind = {},
          .namespaced = !entry.object.starts_with('/')};
}

void replay(const Write& write, const Deadline& deadline) {
  const AuditEntry& entry = *write.entry;
  json::value body = json::parse(entry.body);
  detach(body);
  const kube::Resource resource = resource_of(entry);
  const kube::ObjectKey key{resource.namespaced ? "replay" : "",
                            entry.object.substr(entry.object.find('/') + 1)};
  const auto slash = entry.resource.find('/');
  Result<json::value> done;
  if (entry.verb == "create") {
    done = write.server->create(resource, key, body, {}, deadline);
  } else {
    const bool apply = entry.uri.find("force=") != std::string::npos || entry.code == 201;
    drop_tests(body);
    const kube::PatchType type = apply             ? kube::PatchType::Apply
                                 : body.is_array() ? kube::PatchType::Json
                                                   : kube::PatchType::Merge;
    done = write.server->patch(
        resource, key, body,
        {.type = type,
         .subresource = slash == std::string::npos ? "" : entry.resource.substr(slash + 1),
         .field_manager = "bench",
         .force = apply},
        deadline);
  }
  if (!done) throw std::runtime_error(entry.verb + " " + entry.uri + ": " + done.error().describe());
}

std::vector<AuditEntry> written_by_the_fleet(const Spent& spent) {
  std::vector<AuditEntry> writes;
  for (const auto* log : {&spent.management, &spent.workload})
    std::ranges::copy_if(*log, std::back_inserter(writes), [](const AuditEntry& entry) {
      return is_of_the_fleet(entry) && envtest::is_write(entry);
    });
  return writes;
}

struct Replayed {
  double seconds = 0;
  std::size_t writes = 0;
};

// Everything the manager, the provider and its kubelets wrote, each write through the server it went to.
Replayed replay_all(BenchFleet& fleet, const Spent& spent) {
  const auto workload = fleet.workload_client();
  auto chains = chains_of(spent.management, fleet.client());
  std::ranges::move(chains_of(spent.workload, *workload), std::back_inserter(chains));
  Replayed replayed;
  for (const Chain& chain : chains) replayed.writes += chain.size();
  for (kube::Client* server :
       {static_cast<kube::Client*>(&fleet.client()), static_cast<kube::Client*>(&*workload)})
    must(server->create(kube::resources::namespaces(), {.name = "replay"},
                        {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "replay"}}}}, {},
                        fleet.soon()));
  const double begun = fleet.elapsed();
  std::atomic<std::size_t> next = 0;
  Guarded<std::string> failed;
  std::vector<std::unique_ptr<Thread>> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.push_back(fleet.threads().spawn("writer", [&](const std::stop_token&) {
      try {
        for (std::size_t at = next++; at < chains.size(); at = next++)
          for (const Write& write : chains[at]) replay(write, fleet.soon());
      } catch (const std::exception& error) {
        failed.with([&](auto& text) { text = error.what(); });
      }
    }));
  }
  for (auto& writer : writers) writer->join();
  replayed.seconds = fleet.elapsed() - begun;
  failed.with([](const auto& text) {
    if (!text.empty()) throw std::runtime_error("the load client: " + text);
  });
  return replayed;
}

}  // namespace

Values fleet_machine_costs(const Place& place) {
  const int machines = count_of(place, 1000);
  const double per = machines;
  BenchFleet fleet(place, {.core_flags = kDiagnosticsForAll, .audit = FleetBedOptions::Audit::Bodies});
  fleet.make_clusters(1);
  fleet.make_deployment(std::string(kCluster), std::string(kPool), 0);
  fleet.await_settled(std::string(kPool), 0, minutes(1));
  fleet.await_quiet();
  fleet.spent();

  Values values;
  double cpu = fleet.manager_cpu_ms();
  const double begun = fleet.elapsed();
  fleet.scale(std::string(kPool), machines);
  fleet.await_settled(std::string(kPool), machines, minutes(10));
  const double took = fleet.elapsed() - begun;
  fleet.await_quiet();
  const Spent created = fleet.spent();
  values["machine.writes_to_available"] = created.writes() / per;
  values["machine.requests_to_available"] = created.requests() / per;
  const double cpu_ms = (fleet.manager_cpu_ms() - cpu) / per;
  values["machine.cpu_ratio"] = in_fixed_work(cpu_ms);
  print_spent("creation to Available", created, per);
  say(fmt::format("{} Machines available in {:.1f} s; Events apart: {:.2f}; manager {:.1f} MB", machines,
                  took, created.events() / per,
                  static_cast<double>(envtest::resident_bytes_of(fleet.bed().core().pid())) / 1e6));

  cpu = fleet.manager_cpu_ms();
  const double asked = fleet.workload_requests().requests;
  const double scaled = fleet.elapsed();
  fleet.scale(std::string(kPool), 0);
  fleet.await_settled(std::string(kPool), 0, minutes(10));
  const double gone_in = fleet.elapsed() - scaled;
  fleet.await_quiet();
  const Spent gone = fleet.spent();
  values["machine.requests_to_gone"] = gone.requests() / per;
  values["machine.workload_requests_to_gone"] = (fleet.workload_requests().requests - asked) / per;
  print_spent("scale to 0", gone, per);
  say(fmt::format("gone in {:.1f} s; Events apart: {:.2f}; {:.2f} ms CPU per Machine", gone_in,
                  gone.events() / per, (fleet.manager_cpu_ms() - cpu) / per));

  must(fleet.bed().stop_core());
  fleet.bed().stop_provider();
  say("--- the plain client: the same writes, everybody's, per Machine");
  say(envtest::breakdown(written_by_the_fleet(created), per));
  const Replayed plain = replay_all(fleet, created);
  say(fmt::format("a plain client: {} writes in {:.1f} s, {:.0f}/s", plain.writes, plain.seconds,
                  static_cast<double>(plain.writes) / plain.seconds));
  values["machine.create_time_ratio"] = took / plain.seconds;
  return values;
}

Values fleet_roll_costs(const Place& place) {
  const int machines = count_of(place, 200);
  const double per = machines;
  BenchFleet fleet(place, {.audit = FleetBedOptions::Audit::Requests});
  fleet.make_clusters(1);
  fleet.make_deployment(std::string(kCluster), std::string(kPool), machines);
  fleet.await_settled(std::string(kPool), machines, minutes(5));
  fleet.await_quiet();
  fleet.spent();

  const double cpu = fleet.manager_cpu_ms();
  const double begun = fleet.elapsed();
  fleet.set_version(std::string(kPool), "v1.36.0");
  fleet.await_settled(std::string(kPool), machines, minutes(10), "v1.36.0");
  const double took = fleet.elapsed() - begun;
  fleet.await_quiet();
  const Spent rolled = fleet.spent();
  print_spent("roll", rolled, per);
  say(fmt::format("{} Machines rolled in {:.1f} s; Events apart: {:.2f}", machines, took,
                  rolled.events() / per));
  return {{"roll.requests", rolled.requests() / per},
          {"roll.cpu_ratio", in_fixed_work((fleet.manager_cpu_ms() - cpu) / per)}};
}

}  // namespace capstan::bench
