#include "cmd/manager/cleanup_command.h"

#include <iostream>

#include "base/options.h"
#include "base/try.h"
#include "cmd/manager/cleanup.h"
#include "cmd/manager/options.h"
#include "cmd/manager/process.h"
#include "cmd/program/signals.h"
#include "kube/remote_client.h"
#include "kubeconfig/access.h"
#include "kubeconfig/connect.h"
#include "kubeconfig/dial.h"
#include "net/io_pool.h"

namespace capstan::manager {
namespace {

constexpr auto kSecretLimit = std::chrono::seconds(10);

struct CleanupFlags {
  std::string kubeconfig = {};
  std::string namespace_ = {};
  bool dry_run = false;
};

constexpr std::array kCleanupFlags = {
    flag("kubeconfig", &CleanupFlags::kubeconfig, "kubeconfig of the management cluster"),
    flag("namespace", &CleanupFlags::namespace_, "the one namespace whose objects are cleaned; empty: all"),
    flag("dry-run", &CleanupFlags::dry_run, "print what would be taken off, and change nothing"),
};
constexpr std::array kCleanupClientFlags = {
    flag("workload-denied-cidrs", &ClientOptions::workload_denied_cidrs,
         "networks no workload cluster's kubeconfig Secret may lead to, as of capstan"),
    flag("workload-plain-http-on-loopback", &ClientOptions::workload_plain_http_on_loopback,
         "let kubeconfig Secrets name http:// servers on this machine: for tests"),
};

constexpr std::string_view kCleanupUsage = R"(capstan cleanup: takes off what Capstan alone writes

usage: capstan cleanup --kubeconfig FILE [--dry-run] [flags]

For the time between the last Capstan and its removal. Every label, annotation, taint and finalizer below
capstan.dev goes, from the objects of the management cluster and from the Nodes of each workload cluster that
has a kubeconfig Secret; a Node that Capstan has cordoned is uncordoned. A mark that bids others spare a Node
or delete a Machine goes where it says that it is ours. Other keys of Cluster API stay: its own manager writes
the same ones and goes on with them. An object of a Driver kind loses the finalizer that would take
its instance down: delete such Clusters first, unless their instances are to run on.
It refuses to begin while a Capstan holds a Lease; one that runs without --leader-elect can't be seen.
Exit codes: 0 nothing of ours is left (dry run: all was looked at), 1 something stays and was named, 2 bad
command line, 3 the API server can't be reached or refuses us, 5 a Capstan still runs.
)";

int exit_code_of_cleanup(const Error& error) {
  if (error.code == Code::Conflict) return kScopeTaken;
  return error.code == Code::Cancelled ? kFailed : kApiServerRefused;
}

Result<CleanupSummary> clean_up_with(const CleanupFlags& flags, const ClientOptions& clients,
                                     Threads& threads, const std::stop_token& stop) {
  const SystemClock clock;
  net::IoPool io;
  const kube::RemoteClient::Seams seams{io, threads, clock};
  const auto proxies = net::proxy_rules(program::environment);
  auto to = TRY(kubeconfig::load(flags.kubeconfig));
  const auto management = TRY(kube::RemoteClient::make(seams, std::move(to), {.proxies = proxies}));
  const auto dial = kubeconfig::remote_dial(seams, proxies, TRY(workload_addresses(clients)));
  return clean_up({.clock = clock,
                   .threads = threads,
                   .management = *management,
                   .dial = [&](const kube::ObjectKey& cluster) -> Result<std::unique_ptr<kube::Client>> {
                     const auto access = TRY(kubeconfig::read_access(
                         *management, cluster, Deadline::in(clock, kSecretLimit, stop)));
                     return dial(access.connection, {});
                   },
                   .say = [](const std::string& line) { std::cout << line << std::endl; }},
                  {.namespace_ = flags.namespace_, .dry_run = flags.dry_run}, stop);
}

}  // namespace

int cleanup_command(std::span<const char* const> words) {
  CleanupFlags options;
  ClientOptions clients;
  Flags flags;
  flags.add("cleanup", options, kCleanupFlags).add("API clients", clients, kCleanupClientFlags);
  const auto arguments = flags.parse(words);
  const auto addresses = arguments ? workload_addresses(clients) : fail(arguments.error());
  if (!addresses) {
    std::cerr << "capstan cleanup: " << addresses.error().message << "\n";
    return kBadCommandLine;
  }
  if (arguments->help || !arguments->completion.empty()) {
    std::cout << (arguments->help ? flags.help(kCleanupUsage) : flags.completion("capstan cleanup"));
    return kStopped;
  }
  if (options.kubeconfig.empty()) {
    std::cerr << "capstan cleanup: --kubeconfig is missing: which management cluster?\n";
    return kBadCommandLine;
  }
  SystemThreads threads;
  const program::Signals signals(threads);
  const auto cleaned = clean_up_with(options, clients, threads, signals.stop());
  if (!cleaned) {
    std::cerr << "capstan cleanup: " << cleaned.error().describe() << "\n";
    return exit_code_of_cleanup(cleaned.error());
  }
  std::cout << "cleanup: " << cleaned->describe(options.dry_run) << "\n";
  return cleaned->complete() ? kStopped : kFailed;
}

}  // namespace capstan::manager
