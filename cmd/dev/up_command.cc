#include "cmd/dev/up_command.h"

#include <fmt/format.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <cstdio>
#include <iostream>

#include "base/options.h"
#include "base/try.h"
#include "cmd/dev/fault_file.h"
#include "cmd/dev/files.h"
#include "cmd/dev/fleet_watch.h"
#include "cmd/dev/manifests.h"
#include "cmd/dev/sample.h"
#include "cmd/dev/screen.h"
#include "cmd/dev/stack.h"
#include "cmd/program/flags.h"
#include "cmd/program/signals.h"
#include "net/file_limit.h"

namespace capstan::dev {
namespace {

constexpr std::uint64_t kDescriptors = 65536;
constexpr auto kApplyLimit = std::chrono::seconds(60);
constexpr int kNotReady = 1;

struct Options {
  std::string listen_address = "127.0.0.1";
  int port = 0;
  std::string write_kubeconfig = "capstan.kubeconfig";
  int clusters = 1;
  int machines = 3;
  int pool = kShippedSample.pool;
  int pool_machines = kShippedSample.pool_machines;
  std::string version = "v1.35.0";
  std::string faults = {};
  std::int64_t seed = 1;
  bool until_ready = false;
  Nanoseconds timeout = std::chrono::minutes(5);
  bool json = false;
  bool print_sample = false;
  double kube_api_qps = 0;
  bool verbose = false;
};

constexpr std::array kFlags = {
    flag("write-kubeconfig", &Options::write_kubeconfig,
         "file for an administrator's kubeconfig of the management server"),
    flag("listen-address", &Options::listen_address, "loopback address to listen on"),
    flag("port", &Options::port, "port of the management server; 0 takes any free one",
         {.minimum = 0, .maximum = 65535}),
    flag("clusters", &Options::clusters, "clusters of the sample", {.minimum = 1, .maximum = 2000}),
    flag("machines", &Options::machines, "machines of each cluster's MachineDeployment in the sample",
         {.minimum = 0}),
    flag("pool", &Options::pool, "instances of each cluster's MachinePool in the sample; 0: it has none",
         {.minimum = 0}),
    flag("pool-machines", &Options::pool_machines, "the same of a MachinePool whose instances are Machines",
         {.minimum = 0}),
    flag("version", &Options::version, "Kubernetes version of the sample's machines"),
    flag("faults", &Options::faults, "file that says what goes wrong in the simulated cloud"),
    flag("seed", &Options::seed, "seed of names, uids and chance"),
    flag("until-ready", &Options::until_ready, "end with 0 as soon as the fleet is as wished"),
    flag("timeout", &Options::timeout, "how long --until-ready waits"),
    flag("json", &Options::json, "one JSON document per change, for scripts"),
    flag("print-sample", &Options::print_sample, "print the sample's manifests and end"),
    flag("kube-api-qps", &Options::kube_api_qps, "client limit of the manager; 0: none"),
    flag("verbose", &Options::verbose, "the manager's log, on standard error"),
};

constexpr std::string_view kUsage = R"(capstan-dev up: a fleet in one process

usage: capstan-dev up [flags] [MANIFEST...]

Starts the embedded API server, a simulated cloud with kubelets, the infrastructure and bootstrap
providers and the manager, applies the manifests (or a sample) and shows what happens until SIGINT or
SIGTERM. kubectl works with the kubeconfig it writes.
)";

SampleOptions sample_options(const Options& options) {
  return {.clusters = options.clusters,
          .machines = options.machines,
          .pool = options.pool,
          .pool_machines = options.pool_machines,
          .version = options.version};
}

Result<std::vector<boost::json::value>> wanted_manifests(const Options& options, const StringList& files) {
  if (files.empty()) return sample(sample_options(options));
  std::vector<boost::json::value> all;
  for (const std::string& file : files) {
    auto documents = TRY(read_manifests(file));
    for (auto& document : documents) all.push_back(std::move(document));
  }
  return all;
}

manager::Options manager_options(const Options& options) {
  manager::Options wanted;
  wanted.clients.kube_api_qps = options.kube_api_qps;
  wanted.clients.workload_plain_http_on_loopback = true;
  wanted.servers.health_addr = "0";
  wanted.servers.diagnostics_address = "0";
  wanted.servers.webhook_port = 0;
  return wanted;
}

class Run {
 public:
  Run(const Options& options, const manager::Seams& seams, std::stop_token stop, const Log& log)
      : options_(options),
        seams_(seams),
        stop_(std::move(stop)),
        log_(log),
        screen_(seams.clock, show_for_output(options.json)) {}

  Result<int> up(const StringList& files) {
    const auto script = TRY(script_at_start(options_.faults, options_.seed, std::cerr));
    const auto manifests = TRY(wanted_manifests(options_, files));
    const auto stack = TRY(Stack::start(seams_,
                                        {.address = options_.listen_address,
                                         .port = static_cast<std::uint16_t>(options_.port),
                                         .seed = static_cast<std::uint64_t>(options_.seed),
                                         .cloud = script,
                                         .manager = manager_options(options_)},
                                        log_, stop_));
    const FaultFile faults({seams_.clock, seams_.threads, stack->cloud(), log_}, options_.faults, script);
    const auto kubeconfig = TRY(stack->kubeconfig());
    TRY(write_private_file(options_.write_kubeconfig, kubeconfig));
    screen_.say(
        fmt::format("management server at {}, kubeconfig in {}", stack->url(), options_.write_kubeconfig));
    screen_.say(
        fmt::format("try: kubectl --kubeconfig {} get clusters,machinedeployments,machinepools,machines",
                    options_.write_kubeconfig));
    screen_.say("no webhooks here: a field that an installed Capstan refuses is taken");
    for (const auto& manifest : manifests) {
      const auto name =
          TRY(apply_manifest(stack->client(), manifest, Deadline::in(seams_.clock, kApplyLimit, stop_)));
      if (manifests.size() <= kMostNamed) screen_.say("applied " + name);
    }
    return follow(*stack);
  }

 private:
  static constexpr std::size_t kMostNamed = 20;

  Result<int> follow(Stack& stack) {
    FleetWatch watch(seams_.clock, seams_.threads, stack.client());
    TRY(watch.start(Deadline::in(seams_.clock, kApplyLimit, stop_)));
    const Deadline deadline =
        options_.until_ready ? Deadline::in(seams_.clock, options_.timeout, stop_) : Deadline::never(stop_);
    const bool ready = watch.follow(deadline, [&](const Fleet& fleet) {
      screen_.show(fleet);
      return screen_.lost() || (options_.until_ready && fleet.settled());
    });
    if (screen_.lost()) return fail(Code::Unavailable, "standard output can't be written");
    if (ready) screen_.say("the fleet is as wished");
    if (ready || !options_.until_ready) return 0;
    if (stop_.stop_requested())
      std::cerr << "capstan-dev up: stopped before the fleet was as wished\n";
    else
      std::cerr << "capstan-dev up: not as wished after "
                << std::chrono::duration<double>(options_.timeout).count() << " s\n";
    tell_who_waits(watch.look());
    return kNotReady;
  }

  static void tell_who_waits(const Fleet& fleet) {
    const auto lines = waits(fleet);
    for (std::size_t i = 0; i < lines.size() && i < kMostNamed; ++i) std::cerr << "  " << lines[i] << "\n";
    if (lines.size() > kMostNamed) std::cerr << "  and " << lines.size() - kMostNamed << " more\n";
  }

  const Options& options_;
  const manager::Seams& seams_;
  const std::stop_token stop_;
  const Log log_;
  Screen screen_;
};

int run(const Options& options, const StringList& files) {
  SystemClock clock;
  SystemThreads threads;
  SystemRandomness randomness;
  const program::Signals signals(threads);
  DescriptorSink sink(STDERR_FILENO);
  const Log log(sink, clock, {.levels = {.all = options.verbose ? Level::Info : Level::Error}});
  if (const auto limit = net::raise_file_limit(kDescriptors); !limit)
    log.info("the limit of open files stays low", {{"error", limit.error()}});
  const manager::Seams seams{clock, threads, randomness};
  Run run(options, seams, signals.stop(), log);
  const auto ended = run.up(files);
  if (ended) return *ended;
  if (signals.stop().stop_requested() && !options.until_ready) return 0;  // while it was starting
  std::cerr << "capstan-dev up: " << ended.error().describe() << "\n";
  return 1;
}

}  // namespace

int up_command(std::span<const char* const> words) {
  Options options;
  Flags flags;
  flags.add("fleet", options, kFlags);
  const auto arguments = flags.parse(words, Positional::Allowed);
  if (const auto code = program::answer_words(flags, arguments, "capstan-dev up", kUsage)) return *code;
  if (options.print_sample) {
    std::cout << sample_yaml(sample_options(options)) << std::flush;
    return std::cout ? 0 : kNotReady;
  }
  return run(options, arguments->positional);
}

}  // namespace capstan::dev
