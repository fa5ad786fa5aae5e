#include "test/envtest/fleet_bed.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>
#include <optional>
#include <sstream>

#include "base/threads.h"
#include "base/try.h"
#include "test/envtest/package_roles.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;

constexpr auto kLookAgain = std::chrono::milliseconds(20);
constexpr auto kProviderPatience = std::chrono::seconds(60);
// {} is the level of what writes.
constexpr std::string_view kAuditWrites = R"(
apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived, ResponseStarted]
rules:
- {{level: {}, verbs: [create, update, patch]}}
- {{level: Metadata}}
)";

std::string policy_of(FleetBedOptions::Audit audit) {
  switch (audit) {
    case FleetBedOptions::Audit::None: return {};
    case FleetBedOptions::Audit::Requests: return std::string(kAuditRequests);
    case FleetBedOptions::Audit::Bodies: return fmt::format(kAuditWrites, "Request");
    case FleetBedOptions::Audit::Answers: return fmt::format(kAuditWrites, "RequestResponse");
  }
  return {};
}

Result<void> succeeded(const Result<CommandOutcome>& outcome, std::string_view what) {
  if (!outcome) return fail(outcome.error().context(std::string(what)));
  if (outcome->exit_code == 0) return {};
  return fail(Code::Internal, fmt::format("{}: {}", what, outcome->err));
}

template <typename Condition>
bool waited(Nanoseconds within, Condition&& condition) {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, within);
  while (!condition()) {
    if (deadline.passed(clock.steady_now())) return false;
    threads.pause(Deadline::in(clock, kLookAgain));
  }
  return true;
}

}  // namespace

// Destroyed from the last member up: the children before the servers they talk to.
struct FleetBed::State {
  FleetBedOptions options;
  ScratchFolder folder;
  std::unique_ptr<RealServers> management = {};
  std::unique_ptr<RealServers> workload = {};
  fs::path kubeconfig = {};       // an administrator's
  fs::path core_kubeconfig = {};  // of our core; another has more kinds than our roles name
  fs::path provider_kubeconfig = {};
  fs::path resting_core = {};  // what start_resting_core() starts; empty: ours
  ChildProcess embedded = {};
  ChildProcess provider = {};
  ChildProcess core = {};
  ChildProcess standby = {};

  Result<void> start_servers();
  Result<void> start_embedded();
  Result<void> install_kinds() const;
  Result<void> give_rights();
  Result<void> start_provider();
  Result<ChildProcess> core_process(std::string_view log) const;
  fs::path program(std::string_view name) const { return options.programs / name; }
  fs::path cloud_file() const { return folder.path() / "cloud.yaml"; }
};

Result<std::unique_ptr<FleetBed>> FleetBed::start(FleetBedOptions options) {
  ScratchFolder folder = TRY(ScratchFolder::create());
  auto state = std::make_unique<State>(State{.options = std::move(options), .folder = std::move(folder)});
  TRY(state->start_servers());
  TRY(state->give_rights());
  TRY(state->start_provider());
  state->core = TRY(state->core_process("core.log"));
  return std::unique_ptr<FleetBed>(new FleetBed(std::move(state)));
}

Result<void> FleetBed::State::start_servers() {
  const std::string policy = policy_of(options.audit);
  if (options.real_workload) {
    workload = TRY(RealServers::start({.controller_manager = !options.workload_controllers.empty(),
                                       .controllers = options.workload_controllers,
                                       .audit_policy = policy}));
  }
  if (!options.real_management) return start_embedded();
  management = TRY(RealServers::start({.controller_manager = true, .audit_policy = policy}));
  kubeconfig = management->kubeconfig_path();
  return install_kinds();
}

Result<void> FleetBed::State::start_embedded() {
  kubeconfig = folder.path() / "embedded.kubeconfig";
  embedded = TRY(ChildProcess::start({.argv = {program("capstan-dev"), "apiserver", "--listen=127.0.0.1:0",
                                               "--crds", options.crds, "--write-kubeconfig", kubeconfig}},
                                     folder.path() / "apiserver.log"));
  const bool up = waited(kProviderPatience, [&] { return embedded.has_ended() || fs::exists(kubeconfig); });
  if (up && !embedded.has_ended()) return {};
  return fail(Code::Unavailable, "the embedded server does not run: " + content_of(embedded.log()));
}

// The namespace of the manager's Lease is what the install manifests make.
Result<void> FleetBed::State::install_kinds() const {
  TRY(succeeded(management->run_kubectl({"create", "namespace", "capi-system"}), "make capi-system"));
  std::vector<std::string> apply = {"apply", "--server-side"};
  for (const auto& file : fs::directory_iterator(options.crds)) apply.push_back("-f=" + file.path().string());
  TRY(succeeded(management->run_kubectl(std::move(apply)), "install the CRDs"));
  if (!options.other_crds.empty()) {
    TRY(succeeded(management->run_kubectl(
                      {"apply", "--server-side", "--force-conflicts", "-f=" + options.other_crds.string()}),
                  "install the other core's CRDs"));
  }
  return succeeded(
      management->run_kubectl({"wait", "--for=condition=Established", "--timeout=50s", "crd", "--all"}),
      "wait for the CRDs");
}

Result<void> FleetBed::State::give_rights() {
  core_kubeconfig = provider_kubeconfig = kubeconfig;
  if (!management) return {};
  provider_kubeconfig = TRY(providers_kubeconfig(*management));
  core_kubeconfig = TRY(manager_kubeconfig(*management));
  return {};
}

Result<void> FleetBed::State::start_provider() {
  std::vector<std::string> argv = {program("capstan-dev"), "provider", "--kubeconfig", provider_kubeconfig};
  if (workload) argv.insert(argv.end(), {"--workload-kubeconfig", workload->kubeconfig_path()});
  if (!options.cloud.empty()) {
    std::ofstream(cloud_file()) << options.cloud;
    argv.insert(argv.end(), {"--faults", cloud_file()});
  }
  argv.insert(argv.end(), options.provider_flags.begin(), options.provider_flags.end());
  provider = TRY(ChildProcess::start({.argv = std::move(argv)}, folder.path() / "provider.log"));
  const bool ready = waited(kProviderPatience, [&] {
    return provider.has_ended() || content_of(provider.log()).find("ready") != std::string::npos;
  });
  if (ready && !provider.has_ended()) return {};
  return fail(Code::Unavailable, "the provider does not run: " + content_of(provider.log()));
}

Result<ChildProcess> FleetBed::State::core_process(std::string_view log) const {
  std::vector<std::string> argv = {options.other_core.empty() ? program("capstan") : options.other_core,
                                   "--kubeconfig",
                                   options.other_core.empty() ? core_kubeconfig : kubeconfig,
                                   "--health-addr=0",
                                   "--diagnostics-address=0",
                                   "--webhook-port=0"};
  // Ours serves no webhooks without a port; another serves them at any, and wants a certificate for it.
  if (!options.other_core.empty() && management) {
    argv.insert(argv.end(), {"--webhook-cert-dir=" + management->certificates().string(),
                             "--webhook-cert-name=apiserver.crt", "--webhook-key-name=apiserver.key"});
  }
  argv.insert(argv.end(), options.core_flags.begin(), options.core_flags.end());
  return ChildProcess::start({.argv = std::move(argv)}, folder.path() / log);
}

FleetBed::FleetBed(std::unique_ptr<State> state) : state_(std::move(state)) {}
FleetBed::~FleetBed() = default;

const RealServers& FleetBed::management() const { return *state_->management; }
const RealServers& FleetBed::workload() const { return *state_->workload; }
const fs::path& FleetBed::kubeconfig() const { return state_->kubeconfig; }
const ChildProcess& FleetBed::core() const { return state_->core; }
fs::path FleetBed::provider_log() const { return state_->provider.log(); }

Result<std::string> FleetBed::sample(std::vector<std::string> flags) const {
  flags.insert(flags.begin(),
               {state_->program("capstan-dev"), "up", "--print-sample", "--pool=0", "--pool-machines=0"});
  return output_of({.argv = std::move(flags)}, std::chrono::seconds(30));
}

void FleetBed::stop_provider() { state_->provider.kill(); }

// Whole or not at all, for a provider that reads it just then.
void FleetBed::change_cloud(const std::string& script) {
  const fs::path beside = state_->cloud_file().string() + ".new";
  std::ofstream(beside) << script;
  fs::rename(beside, state_->cloud_file());
}

Result<void> FleetBed::start_core() {
  state_->core = TRY(state_->core_process("core.log"));
  return {};
}

Result<void> FleetBed::start_standby() {
  state_->standby = TRY(state_->core_process("standby.log"));
  return {};
}

void FleetBed::kill_core() {
  state_->core.kill();
  state_->core = std::move(state_->standby);
}

Result<void> FleetBed::start_resting_core() {
  std::swap(state_->options.other_core, state_->resting_core);
  return start_core();
}

Result<void> FleetBed::stop_core(Nanoseconds within) {
  if (state_->core.pid() > 0) ::kill(state_->core.pid(), SIGTERM);
  if (waited(within, [&] { return state_->core.has_ended(); })) return {};
  state_->core.kill();
  return fail(Code::Timeout, "the manager did not stop when asked: " + content_of(state_->core.log()));
}

// Fields 14 and 15 of /proc/PID/stat, counted behind the name, which may hold anything.
Nanoseconds cpu_time_of(pid_t pid) {
  const std::string stat = content_of(fmt::format("/proc/{}/stat", pid));
  const auto name_end = stat.rfind(')');
  if (name_end == std::string::npos) return {};
  std::istringstream rest(stat.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 14; ++field) rest >> skipped;
  std::int64_t user = 0;
  std::int64_t system = 0;
  rest >> user >> system;
  return std::chrono::nanoseconds(std::chrono::seconds(user + system)) / ::sysconf(_SC_CLK_TCK);
}

std::size_t resident_bytes_of(pid_t pid) {
  std::istringstream pages(content_of(fmt::format("/proc/{}/statm", pid)));
  std::size_t total = 0;
  std::size_t resident = 0;
  pages >> total >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace capstan::envtest
