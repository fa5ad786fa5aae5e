// What `capstan` writes to 1,000 Machines at rest that upstream's core has made, when it takes them over:
// nothing but what docs/takeover.md lists.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "api/v1beta2/machine.h"
#include "kube/kinds.h"
#include "test/bench/bench_fleet.h"
#include "test/envtest/scratch_folder.h"
#include "test/interop/takeover_page.h"
#include "test/interop/write_ledger.h"

namespace capstan::bench {
namespace {

using envtest::AuditEntry;
using envtest::AuditReader;
using envtest::WriteLedger;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kTakenPool = "pool";
constexpr auto kTakesOver = minutes(20);
constexpr auto kStopsWithin = seconds(40);  // upstream gives its controllers 30 s
constexpr auto kQuietSpan = seconds(20);

using RowCounts = std::map<std::string, int>;

bool concerns_machines(const std::string& row) {
  return row.starts_with("patch machines ") || row.starts_with("patch machines/status ") ||
         row.ends_with(" machines");
}

// Every write of the management server from its beginning, row by row.
class MachineWrites {
 public:
  explicit MachineWrites(std::filesystem::path log) : log_(std::move(log)) {}

  // By that program, since the last look.
  RowCounts more(std::string_view agent) {
    RowCounts counts;
    for (const AuditEntry& entry : must(log_.more())) {
      if (!envtest::is_done_write(entry)) continue;
      for (const std::string& row : ledger_.rows_of(entry))
        if (entry.agent == agent && concerns_machines(row)) ++counts[row];
    }
    return counts;
  }

 private:
  AuditReader log_;
  WriteLedger ledger_ = {};
};

// Of a release: field managers of updates are named after the program.
std::filesystem::path as_released(const Place& place, const envtest::ScratchFolder& folder) {
  const auto core = std::filesystem::absolute(place.upstream) / "core";
  if (place.upstream.empty() || !std::filesystem::exists(core))
    throw std::runtime_error(
        "CAPSTAN_UPSTREAM does not name a folder with upstream's core: start with "
        "scripts/bench, which builds it");
  std::filesystem::create_symlink(core, folder.path() / "manager");
  return folder.path() / "manager";
}

// What upstream's webhook gives each new Machine; this API server asks no webhook.
void give_machines_their_default(BenchFleet& fleet) {
  const kube::Resource machines = kube::resource_of<api::Machine>();
  const auto listed = must(fleet.client().list(machines, {.namespace_ = "default"}, fleet.soon()));
  for (const auto& machine : listed.at("items").as_array()) {
    const std::string name(machine.at("metadata").at("name").as_string());
    must(fleet.client().patch(machines, {"default", name},
                              {{"spec", {{"deletion", {{"nodeDeletionTimeoutSeconds", 10}}}}}}, {},
                              fleet.soon()));
  }
}

void apply_our_crds(BenchFleet& fleet, const Place& place) {
  const auto applied = must(fleet.bed().management().run_kubectl(
      {"apply", "--server-side", "--force-conflicts", "-f=" + place.crds}));
  if (applied.exit_code != 0) throw std::runtime_error("our CRDs were refused: " + applied.err);
}

void add(const RowCounts& more, RowCounts& all) {
  for (const auto& [row, count] : more) all[row] += count;
}

RowCounts written_until_quiet(BenchFleet& fleet, MachineWrites& writes) {
  RowCounts all;
  const Deadline patience = Deadline::in(fleet.clock(), kTakesOver);
  for (SteadyTime last = fleet.clock().steady_now(); fleet.clock().steady_now() - last < kQuietSpan;) {
    if (patience.passed(fleet.clock().steady_now())) throw std::runtime_error("it writes on and on");
    const RowCounts more = writes.more("capstan");
    if (!more.empty()) last = fleet.clock().steady_now();
    add(more, all);
    fleet.threads().pause(Deadline::in(fleet.clock(), seconds(1)));
  }
  return all;
}

}  // namespace

double takeover_writes(const Place& place) {
  const int machines = place.machines > 0 ? place.machines : 1000;
  const auto folder = must(envtest::ScratchFolder::create());
  BenchFleet fleet(place, {.other_core = as_released(place, folder),
                           .other_crds = std::filesystem::path(place.upstream) / "crds",
                           .audit = envtest::FleetBedOptions::Audit::Answers});
  MachineWrites writes(fleet.bed().management().audit_log());
  fleet.make_clusters(1);
  fleet.make_deployment("demo", kTakenPool, machines);
  fleet.await_settled(kTakenPool, machines, kTakesOver);
  give_machines_their_default(fleet);
  fleet.await_silence();
  must(fleet.bed().stop_core(kStopsWithin));
  apply_our_crds(fleet, place);
  writes.more("capstan");
  must(fleet.bed().start_resting_core());
  const auto listed = envtest::listed_below("What Capstan writes");
  int unlisted = 0;
  for (const auto& [row, count] : written_until_quiet(fleet, writes)) {
    say(fmt::format("{:>6} x {}{}", count, row, listed.contains(row) ? "" : ", which no row lists"));
    if (!listed.contains(row)) unlisted += count;
  }
  return unlisted;
}

}  // namespace capstan::bench
