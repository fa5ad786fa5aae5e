#include "cmd/dev/provider_command.h"

#include <unistd.h>

#include <iostream>

#include "base/options.h"
#include "base/try.h"
#include "bootstrap/provider.h"
#include "cmd/dev/api_outages.h"
#include "cmd/dev/embedded_control_planes.h"
#include "cmd/dev/fault_file.h"
#include "cmd/dev/files.h"
#include "cmd/dev/given_control_plane.h"
#include "cmd/program/flags.h"
#include "cmd/program/signals.h"
#include "infrastructure/provider.h"
#include "infrastructure/sim/kubelet.h"
#include "kubeconfig/connect.h"
#include "kubeconfig/dial.h"
#include "net/file_limit.h"
#include "net/secure_randomness.h"

namespace capstan::dev {
namespace {

constexpr std::uint64_t kDescriptors = 65536;
constexpr auto kStartLimit = std::chrono::seconds(60);

struct Options {
  std::string kubeconfig = {};
  std::string workload_kubeconfig = {};
  std::string faults = {};
  std::int64_t seed = 1;
  int concurrency = 100;
  bool verbose = false;
};

constexpr std::array kFlags = {
    flag("kubeconfig", &Options::kubeconfig, "the management server; its CRDs must be installed"),
    flag("workload-kubeconfig", &Options::workload_kubeconfig,
         "one API server for all workload clusters; without it each cluster gets an embedded one"),
    flag("faults", &Options::faults, "file that says how the simulated cloud is and what goes wrong in it"),
    flag("seed", &Options::seed, "seed of names, uids and chance"),
    flag("concurrency", &Options::concurrency, "machines worked on at the same time", {.minimum = 1}),
    flag("verbose", &Options::verbose, "log on standard error"),
};

constexpr std::string_view kUsage = R"(capstan-dev provider: a simulated cloud beside any Cluster API core

usage: capstan-dev provider --kubeconfig FILE [flags]

Runs the controllers of DriverCluster, DriverMachine, DriverMachinePool, CloudConfig and NodeConfig with their
simulated cloud until SIGINT or SIGTERM. Prints "ready" once they run.
)";

Result<void> serve(const Options& options, const program::Signals& signals, Threads& threads) {
  SystemClock clock;
  SystemRandomness randomness;
  DescriptorSink sink(STDERR_FILENO);
  const Log log(sink, clock, {.levels = {.all = options.verbose ? Level::Info : Level::Error}});
  if (const auto limit = net::raise_file_limit(kDescriptors); !limit)
    log.info("the limit of open files stays low", {{"error", limit.error()}});
  const auto script = TRY(script_at_start(options.faults, options.seed, std::cerr));
  net::IoPool io;
  const kube::RemoteClient::Seams seams{io, threads, clock};
  auto to = TRY(kubeconfig::load(options.kubeconfig));
  const auto infrastructure_client =
      TRY(kube::RemoteClient::make(seams, to, {.user_agent = "capstan-infrastructure"}));
  const auto bootstrap_client =
      TRY(kube::RemoteClient::make(seams, std::move(to), {.user_agent = "capstan-bootstrap"}));

  std::unique_ptr<infrastructure::sim::ControlPlanes> planes;
  EmbeddedControlPlanes* embedded = nullptr;
  if (options.workload_kubeconfig.empty()) {
    auto made = std::make_unique<EmbeddedControlPlanes>(io, clock, threads,
                                                        static_cast<std::uint64_t>(options.seed) * 1000);
    embedded = made.get();
    planes = std::move(made);
  } else {
    auto text = TRY(read_file(options.workload_kubeconfig));
    planes =
        TRY(GivenControlPlane::make(seams, *infrastructure_client, Secret<std::string>(std::move(text))));
  }
  infrastructure::sim::SimCloud cloud({clock, threads, log.component("cloud")}, script);
  infrastructure::sim::Kubelets kubelets({clock, threads, cloud, *planes, log.component("kubelet")});
  infrastructure::Provider infrastructure(
      {.clock = clock,
       .threads = threads,
       .client = *infrastructure_client,
       .drivers = cloud,
       .control_planes = *planes,
       .randomness = randomness,
       .log = log.component("infrastructure")},
      {.machine_concurrency = static_cast<std::size_t>(options.concurrency)});
  net::SecureRandomness keys;
  bootstrap::Provider bootstrap({.clock = clock,
                                 .threads = threads,
                                 .client = *bootstrap_client,
                                 .randomness = randomness,
                                 .dial = kubeconfig::remote_dial(seams, {}, {.plain_http_on_loopback = true}),
                                 .keys = &keys,
                                 .log = log.component("bootstrap")});
  const FaultFile faults({clock, threads, cloud, log.component("faults")}, options.faults, script);
  std::optional<ApiOutages> outages;
  if (embedded != nullptr) outages.emplace(clock, threads, cloud, *embedded);
  kubelets.start();
  const Deadline deadline = Deadline::in(clock, kStartLimit, signals.stop());
  TRY(infrastructure.start(deadline));
  TRY(bootstrap.start(deadline));
  std::cout << "ready" << std::endl;
  threads.pause(Deadline::never(signals.stop()));
  bootstrap.stop();
  infrastructure.stop();
  kubelets.stop();
  return {};
}

}  // namespace

int provider_command(std::span<const char* const> words) {
  Options options;
  Flags flags;
  flags.add("provider", options, kFlags);
  const auto arguments = flags.parse(words);
  if (const auto code = program::answer_words(flags, arguments, "capstan-dev provider", kUsage)) return *code;
  if (options.kubeconfig.empty()) {
    std::cerr << "capstan-dev provider: --kubeconfig is missing: which management server?\n";
    return 2;
  }
  SystemThreads threads;
  const program::Signals signals(threads);
  const auto served = serve(options, signals, threads);
  if (served || signals.stop().stop_requested()) return 0;
  std::cerr << "capstan-dev provider: " << served.error().describe() << "\n";
  return 1;
}

}  // namespace capstan::dev
