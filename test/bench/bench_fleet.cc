#include "test/bench/bench_fleet.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cstdio>
#include <sstream>

#include "api/schema/yaml.h"
#include "kube/resources.h"
#include "kubeconfig/access.h"
#include "kubeconfig/connect.h"
#include "test/envtest/upstream_core.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using envtest::AuditEntry;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kNamespace = "default";
constexpr std::string_view kPrompt = R"(
latency: {create: 0s, remove: 0s, status: 0s, list: 0s}
boot: {register: 0s, ready: 0s}
heartbeat: {lease: 10m, status: 0s}
)";
constexpr std::string_view kOurAgent = "capstan";
constexpr std::array kLifted = {"--kube-api-qps=1000000", "--kube-api-burst=1000000",
                                "--clustercache-client-qps=1000000", "--clustercache-client-burst=1000000"};

kube::Resource of_core(std::string_view kind) { return kube::resource_for("cluster.x-k8s.io/v1beta2", kind); }

std::int64_t number_at(const json::value& object, std::string_view pointer) {
  boost::system::error_code missing;
  const auto* found = object.find_pointer(pointer, missing);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

bool says_true(const json::value& object, std::string_view condition) {
  boost::system::error_code missing;
  const auto* all = object.find_pointer("/status/conditions", missing);
  if (all == nullptr) return false;
  return std::ranges::any_of(all->as_array(), [&](const json::value& one) {
    return one.at("type").as_string() == condition && one.at("status").as_string() == "True";
  });
}

bool has_only(const json::value& object, std::string_view version, std::int64_t replicas) {
  boost::system::error_code missing;
  const auto* all = object.find_pointer("/status/versions", missing);
  return all != nullptr && all->as_array().size() == 1 &&
         all->as_array()[0].at("version").as_string() == version &&
         number_at(all->as_array()[0], "/replicas") == replicas;
}

json::value reference(std::string_view group, std::string_view kind, const std::string& name) {
  return {{"apiGroup", group}, {"kind", kind}, {"name", name}};
}

std::string scrape(pid_t pid) {
  for (const std::uint16_t port : envtest::listening_ports(pid)) {
    httplib::Client client("127.0.0.1", port);
    const auto answer = client.Get("/metrics");
    if (answer && answer->status == 200) return answer->body;
  }
  throw std::runtime_error("the manager serves no metrics over plain HTTP");
}

// Of all series of a family with that label: name{..., use="probe"} 12
double sum_of(const std::string& metrics, std::string_view family, std::string_view label) {
  double sum = 0;
  std::istringstream lines(metrics);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with(family) && line.find(label) != std::string::npos)
      sum += std::stod(line.substr(line.rfind(' ') + 1));
  }
  return sum;
}

bool counts(const AuditEntry& entry) { return !envtest::is_event(entry) && !envtest::is_lease(entry); }

}  // namespace

void say(std::string_view line) {
  fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
}

double Spent::writes() const {
  return static_cast<double>(std::ranges::count_if(
      manager, [](const AuditEntry& entry) { return counts(entry) && envtest::is_write(entry); }));
}
double Spent::requests() const { return static_cast<double>(std::ranges::count_if(manager, counts)); }
double Spent::events() const {
  return static_cast<double>(std::ranges::count_if(manager, envtest::is_event));
}

BenchFleet::BenchFleet(const Place& place, envtest::FleetBedOptions options, Limits limits)
    : agent_(options.other_core.empty() ? std::string(kOurAgent) : options.other_core.filename().string()),
      begun_(clock_.steady_now()) {
  options.programs = place.programs;
  options.crds = place.crds;
  if (options.cloud.empty()) options.cloud = kPrompt;
  if (limits == Limits::Lifted)
    options.core_flags.insert(options.core_flags.end(), kLifted.begin(), kLifted.end());
  const bool audited = options.audit != envtest::FleetBedOptions::Audit::None;
  const bool real_workload = options.real_workload;
  bed_ = must(envtest::FleetBed::start(std::move(options)));
  client_ = client_of(bed_->kubeconfig());
  if (!audited) return;
  management_log_ = std::make_unique<envtest::AuditReader>(bed_->management().audit_log());
  if (real_workload) workload_log_ = std::make_unique<envtest::AuditReader>(bed_->workload().audit_log());
}

std::unique_ptr<kube::RemoteClient> BenchFleet::client_of(const std::filesystem::path& kubeconfig) {
  return client_with(must(kubeconfig::load(kubeconfig)));
}

std::unique_ptr<kube::RemoteClient> BenchFleet::client_with(kube::Connection access) {
  return must(kube::RemoteClient::make({io_, threads_, clock_}, std::move(access),
                                       {.user_agent = "bench/1", .rate_limit = {.qps = 0}}));
}

std::unique_ptr<kube::RemoteClient> BenchFleet::client_of_cluster(const std::string& cluster) {
  const kube::ObjectKey key{.namespace_ = std::string(kNamespace), .name = cluster};
  return client_with(must(kubeconfig::read_access(*client_, key, soon())).connection);
}

std::unique_ptr<kube::RemoteClient> BenchFleet::workload_client() {
  return client_of(bed_->workload().kubeconfig_path());
}

void BenchFleet::make_clusters(int count) {
  const auto yaml = must(bed_->sample({"--machines=0", fmt::format("--clusters={}", count)}));
  std::vector<std::string> control_planes;
  for (const json::value& object : must(api::parse_yaml_documents(yaml))) {
    const std::string kind(object.at("kind").as_string());
    if (kind == "MachineDeployment") continue;
    const std::string name(object.at("metadata").at("name").as_string());
    if (kind == "Machine") control_planes.push_back(name);
    must(client_->create(kube::resource_for(object.at("apiVersion").as_string(), kind),
                         {.namespace_ = std::string(kNamespace), .name = name}, object, {}, soon()));
  }
  for (const std::string& name : control_planes) await_control_plane({std::string(kNamespace), name});
}

// Upstream's core watches no Nodes before there is an initialized control plane, and without a control plane
// provider that takes a Node: where it joins late, only a change of its Machine makes the core look again.
void BenchFleet::await_control_plane(const kube::ObjectKey& machine) {
  constexpr int kLooksAtOnce = 25;
  const Deadline deadline = Deadline::in(clock_, seconds(300));
  for (int looks = 1; !says_true(must(client_->get(of_core("Machine"), machine, soon())), "Available");
       ++looks) {
    if (deadline.passed(clock_.steady_now()))
      throw std::runtime_error(machine.name + " does not become available");
    if (looks % kLooksAtOnce == 0)
      must(client_->patch(of_core("Machine"), machine,
                          {{"metadata", {{"annotations", {{"bench/looks", std::to_string(looks)}}}}}}, {},
                          soon()));
    threads_.pause(Deadline::in(clock_, milliseconds(200)));
  }
}

void BenchFleet::make_deployment(const std::string& cluster, const std::string& name, int replicas) {
  const json::object labels = {{"cluster.x-k8s.io/cluster-name", cluster}, {"pool", name}};
  const std::string templates = cluster + "-workers";
  const json::value object = {
      {"apiVersion", "cluster.x-k8s.io/v1beta2"},
      {"kind", "MachineDeployment"},
      {"metadata", {{"name", name}, {"namespace", kNamespace}}},
      {"spec",
       {{"clusterName", cluster},
        {"replicas", replicas},
        {"selector", {{"matchLabels", labels}}},
        {"rollout",
         {{"strategy",
           {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxSurge", "10%"}, {"maxUnavailable", 0}}}}}}},
        {"template",
         {{"metadata", {{"labels", labels}}},
          {"spec",
           {{"clusterName", cluster},
            {"version", "v1.35.0"},
            {"bootstrap",
             {{"configRef", reference("bootstrap.cluster.x-k8s.io", "CloudConfigTemplate", templates)}}},
            {"infrastructureRef",
             reference("infrastructure.cluster.x-k8s.io", "DriverMachineTemplate", templates)}}}}}}}};
  must(client_->create(of_core("MachineDeployment"), {std::string(kNamespace), name}, object, {}, soon()));
}

void BenchFleet::scale(const std::string& name, int replicas) {
  must(client_->patch(of_core("MachineDeployment"), {std::string(kNamespace), name},
                      {{"spec", {{"replicas", replicas}}}}, {}, soon()));
}

void BenchFleet::set_version(const std::string& name, std::string_view version) {
  must(client_->patch(of_core("MachineDeployment"), {std::string(kNamespace), name},
                      {{"spec", {{"template", {{"spec", {{"version", version}}}}}}}}, {}, soon()));
}

void BenchFleet::await_settled(const std::string& name, int replicas, Nanoseconds within,
                               std::string_view version) {
  const Deadline deadline = Deadline::in(clock_, within);
  for (;;) {
    const auto seen =
        must(client_->get(of_core("MachineDeployment"), {std::string(kNamespace), name}, soon()));
    const bool current =
        number_at(seen, "/status/observedGeneration") == number_at(seen, "/metadata/generation");
    if (current && number_at(seen, "/status/replicas") == replicas &&
        number_at(seen, "/status/availableReplicas") == replicas &&
        number_at(seen, "/status/upToDateReplicas") == replicas && !says_true(seen, "RollingOut") &&
        (version.empty() || has_only(seen, version, replicas)))
      return;
    if (deadline.passed(clock_.steady_now()))
      throw std::runtime_error(fmt::format("{} has {} of {} machines, {} available, {} up to date", name,
                                           number_at(seen, "/status/replicas"), replicas,
                                           number_at(seen, "/status/availableReplicas"),
                                           number_at(seen, "/status/upToDateReplicas")));
    threads_.pause(Deadline::in(clock_, milliseconds(100)));
  }
}

void BenchFleet::await_quiet() {
  constexpr double kIdleMs = 50;
  const Deadline deadline = Deadline::in(clock_, std::chrono::minutes(10));
  for (double before = -1e9; !deadline.passed(clock_.steady_now());) {
    const double now = manager_cpu_ms();
    if (now - before < kIdleMs) return;
    before = now;
    threads_.pause(Deadline::in(clock_, seconds(3)));
  }
}

void BenchFleet::await_silence() {
  const Deadline deadline = Deadline::in(clock_, std::chrono::minutes(10));
  spent();
  do {
    if (deadline.passed(clock_.steady_now())) throw std::runtime_error("the manager does not fall silent");
    threads_.pause(Deadline::in(clock_, seconds(10)));
    // Another core asks each workload cluster whether it is there, every ten seconds and for ever.
  } while (!std::ranges::all_of(spent().manager, [](const AuditEntry& entry) {
    return envtest::is_lease(entry) || entry.resource.starts_with('/');
  }));
}

Spent BenchFleet::spent() {
  Spent spent;
  const auto sort_out = [&](const std::vector<AuditEntry>& entries) {
    for (const AuditEntry& entry : entries)
      if (entry.agent == agent_ && !envtest::is_watch(entry)) spent.manager.push_back(entry);
  };
  if (management_log_) {
    spent.management = must(management_log_->more());
    sort_out(spent.management);
  }
  if (workload_log_) {
    spent.workload = must(workload_log_->more());
    sort_out(spent.workload);
  }
  return spent;
}

WorkloadRequests BenchFleet::workload_requests() const {
  constexpr std::string_view kFamily = "capstan_workload_requests_total{";
  const std::string metrics = scrape(bed_->core().pid());
  return {.requests = sum_of(metrics, kFamily, "use=\"request\""),
          .probes = sum_of(metrics, kFamily, "use=\"probe\"")};
}

// controller_runtime_reconcile_total{controller="machine",result="success"} 12
std::map<std::string, double> BenchFleet::turns() const {
  constexpr std::string_view kFamily = "controller_runtime_reconcile_total{controller=\"";
  std::map<std::string, double> turns;
  std::istringstream lines(scrape(bed_->core().pid()));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(kFamily)) continue;
    const auto end = line.find('"', kFamily.size());
    turns[line.substr(kFamily.size(), end - kFamily.size())] += std::stod(line.substr(line.rfind(' ') + 1));
  }
  return turns;
}

double BenchFleet::manager_cpu_ms() const {
  return std::chrono::duration<double, std::milli>(envtest::cpu_time_of(bed_->core().pid())).count();
}

double BenchFleet::elapsed() const {
  return std::chrono::duration<double>(clock_.steady_now() - begun_).count();
}

}  // namespace capstan::bench
