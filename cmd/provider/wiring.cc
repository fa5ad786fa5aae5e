#include "cmd/provider/wiring.h"

#include <unistd.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/try.h"
#include "cmd/program/diagnostics.h"
#include "cmd/program/missing_rights.h"
#include "cmd/program/program_version.h"
#include "cmd/program/serving.h"
#include "cmd/provider/providers.h"
#include "kube/remote_client.h"
#include "net/io_pool.h"
#include "net/secure_randomness.h"
#include "runtime/leader.h"
#include "runtime/manager.h"
#include "runtime/sync_state.h"

namespace capstan::provider {
namespace {

constexpr auto kFirstContact = std::chrono::seconds(15);
constexpr auto kSyncLimit = std::chrono::minutes(5);
constexpr std::string_view kUsualNamespace = "capstan-system";
constexpr std::string_view kLeaseStem = "controller-leader-election-capstan";

program::ServedAt served_at(const EndpointOptions& endpoints) {
  return {.health = endpoints.health_addr,
          .diagnostics = endpoints.diagnostics_address,
          .insecure = endpoints.insecure_diagnostics,
          .tls_min_version = endpoints.tls_min_version};
}

kube::ObjectKey lease_of(std::string_view provider, const program::ElectionOptions& election) {
  const std::string stem = election.lease_name.empty() ? std::string(kLeaseStem) : election.lease_name;
  return {.namespace_ = election.lease_namespace.empty() ? program::pod_namespace(kUsualNamespace)
                                                         : election.lease_namespace,
          .name = stem + "-" + std::string(provider)};
}

}  // namespace

class Wiring::Parts {
 public:
  Parts(const program::Seams& given_seams, const Options& given_options, Log given_log)
      : seams(given_seams), options(given_options), log(std::move(given_log)) {}

  Result<void> make();
  Result<void> start(std::stop_token stop);

  Result<std::unique_ptr<kube::RemoteClient>> make_client(std::string user_agent);
  kubeconfig::Dial workload_dial();
  void make_leaders();
  std::unique_ptr<runtime::Leader> make_leader(std::string_view provider);
  void add_checks();
  void add_pages();
  void make_order();
  Result<void> lead();
  void stop_leading();
  std::optional<std::string> election_problem() const;

  const program::Seams seams;
  const Options options;
  const Log log;
  std::stop_token stop_token = {};

  net::IoPool io;
  net::SecureRandomness keys;
  Metrics metrics;
  std::unique_ptr<kube::RemoteClient> bootstrap_client;
  std::unique_ptr<kube::RemoteClient> infrastructure_client;
  std::unique_ptr<Providers> providers;
  std::vector<std::unique_ptr<runtime::Leader>> leaders;  // one for each provider; empty: none is elected
  std::unique_ptr<runtime::Endpoints> endpoints;
  std::unique_ptr<runtime::Manager> manager;
};

Result<void> Wiring::Parts::make() {
  bootstrap_client = TRY(make_client("capstan-bootstrap"));
  infrastructure_client = TRY(make_client("capstan-infrastructure"));
  std::vector<infrastructure::remote::NamedDriver> drivers;
  if (options.runs(kInfrastructure) && !options.scope.drivers.empty())
    drivers = TRY(infrastructure::remote::read_drivers(options.scope.drivers));
  providers = std::make_unique<Providers>(options, ProvidersDeps{.seams = seams,
                                                                 .bootstrap = *bootstrap_client,
                                                                 .infrastructure = *infrastructure_client,
                                                                 .dial = workload_dial(),
                                                                 .keys = keys,
                                                                 .metrics = metrics,
                                                                 .drivers = std::move(drivers),
                                                                 .log = log});
  make_leaders();
  endpoints = std::make_unique<runtime::Endpoints>(io, metrics, log.component("endpoints"));
  add_checks();
  add_pages();
  make_order();
  return {};
}

Result<std::unique_ptr<kube::RemoteClient>> Wiring::Parts::make_client(std::string user_agent) {
  auto to = TRY(program::connection(options.scope.kubeconfig));
  auto see = [count = program::count_requests(metrics, to.server),
              rights = program::MissingRights(log.component("client"))](const kube::RequestRecord& request) {
    count(request);
    rights(request);
  };
  return kube::RemoteClient::make(
      {io, seams.threads, seams.clock}, std::move(to),
      {.user_agent = std::move(user_agent),
       .rate_limit = {.qps = options.work.kube_api_qps, .burst = options.work.kube_api_burst},
       .proxies = net::proxy_rules(program::environment),
       .on_request = std::move(see)});
}

kubeconfig::Dial Wiring::Parts::workload_dial() {
  return kubeconfig::remote_dial({io, seams.threads, seams.clock}, net::proxy_rules(program::environment), {},
                                 kubeconfig::count_requests(metrics));
}

// A Lease for each provider, so that a process with both excludes those with one; always in this order, so
// that two processes never wait for each other.
void Wiring::Parts::make_leaders() {
  if (!options.election.leader_elect) return;
  for (const std::string_view provider : {kBootstrap, kInfrastructure})
    if (options.runs(provider)) leaders.push_back(make_leader(provider));
}

std::unique_ptr<runtime::Leader> Wiring::Parts::make_leader(std::string_view provider) {
  const auto& election = options.election;
  return std::make_unique<runtime::Leader>(
      runtime::LeaderDeps{seams.clock, seams.threads, *bootstrap_client, log.component("leader")},
      runtime::LeaderOptions{
          .lease = lease_of(provider, election),
          .identity = program::host_name() + "_" + std::to_string(seams.randomness.next()),
          .times = {election.lease_duration, election.renew_deadline, election.retry_period},
          .version = std::string(program::program_version())},
      [] { _exit(program::kLeaseLost); });  // at once: another process acts from now on
}

// A process that stands by is ready, too: a Deployment that is rolled waits for it while the former one
// leads.
void Wiring::Parts::add_checks() {
  for (const NamedInformers& part : providers->informers()) {
    for (const auto* informer : part.informers)
      endpoints->add_check({.name = part.provider + " " + std::string(informer->cache().kind()),
                            .problem = [informer] { return runtime::why_not_synced(*informer); }});
  }
  endpoints->add_check({.name = "leader election", .problem = [this] { return election_problem(); }});
}

// The second Lease is not asked for before the first one is held.
std::optional<std::string> Wiring::Parts::election_problem() const {
  for (const auto& leader : leaders)
    if (!leader->leading()) return leader->problem();
  return {};
}

void Wiring::Parts::add_pages() {
  for (const auto& leader : leaders) {
    endpoints->before_scrape([&leader = *leader, held = program::leadership(metrics, leader->lease().name)] {
      held.set(leader.leading() ? 1 : 0);
    });
  }
  endpoints->before_scrape([this] { providers->refresh_metrics(); });
  endpoints->add_setting(program::verbosity_setting(log));
  endpoints->add_page({.name = "controllers",
                       .content = [this] { return program::controllers_page(providers->controllers()); }});
  endpoints->add_page({.name = "caches", .content = [this] {
                         boost::json::object page;
                         for (const auto& part : providers->informers())
                           page[part.provider] = program::caches_page(part.informers);
                         return boost::json::value(std::move(page));
                       }});
}

// What starts when: runtime/manager.h sorts by group. Leases are given back when nothing acts any more.
void Wiring::Parts::make_order() {
  using runtime::Group;
  manager = std::make_unique<runtime::Manager>(seams.clock, log.component("manager"));
  manager->add({.group = Group::Endpoints,
                .name = "probes",
                .start = [this] { return program::serve_probes(*endpoints, served_at(options.endpoints)); },
                .stop = [this] { endpoints->stop(); }});
  manager->add({.group = Group::Endpoints, .name = "diagnostics", .start = [this] {
                  return program::serve_diagnostics(*endpoints, served_at(options.endpoints),
                                                    *bootstrap_client, seams.clock);
                }});
  manager->add(
      {.group = Group::Io, .name = "connection to the API server", .start = [this]() -> Result<void> {
         TRY(bootstrap_client->get_path("/version", Deadline::in(seams.clock, kFirstContact, stop_token)));
         return {};
       }});
  manager->add({.group = Group::Informers,
                .name = "caches",
                .start =
                    [this] {
                      auto filled =
                          providers->start_caches(Deadline::in(seams.clock, kSyncLimit, stop_token));
                      if (!filled) providers->stop_caches();
                      return filled;
                    },
                .stop = [this] { providers->stop_caches(); }});
  manager->add({.group = Group::Leadership,
                .name = "leader election",
                .start = [this] { return lead(); },
                .stop = [this] { stop_leading(); }});
  manager->add({.group = Group::Controllers,
                .name = "controllers",
                .start = [this]() -> Result<void> {
                  providers->start_controllers();
                  log.info("providers run");
                  return {};
                },
                .stop = [this] { providers->stop_controllers(); }});
}

Result<void> Wiring::Parts::lead() {
  for (const auto& leader : leaders) {
    leader->start();
    if (leader->wait_until_leading(Deadline::never(stop_token)) == Woken::Notified) continue;
    stop_leading();
    return fail(Code::Cancelled, "told to stop");
  }
  return {};
}

void Wiring::Parts::stop_leading() {
  for (const auto& leader : leaders) leader->stop();
}

Result<void> Wiring::Parts::start(std::stop_token stop) {
  stop_token = std::move(stop);
  return manager->start();
}

Result<std::unique_ptr<Wiring>> Wiring::make(const program::Seams& seams, const Options& options, Log log) {
  auto parts = std::make_unique<Parts>(seams, options, std::move(log));
  TRY(parts->make());
  return std::unique_ptr<Wiring>(new Wiring(std::move(parts)));
}

Wiring::Wiring(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Wiring::~Wiring() = default;

Result<void> Wiring::start(std::stop_token stop) { return parts_->start(std::move(stop)); }
void Wiring::stop() { parts_->manager->stop(); }
const runtime::Endpoints& Wiring::endpoints() const { return *parts_->endpoints; }

}  // namespace capstan::provider
