#include "cmd/provider/serve.h"

#include <unistd.h>

#include <boost/json.hpp>
#include <utility>

#include "base/try.h"
#include "bootstrap/provider.h"
#include "cmd/program/diagnostics.h"
#include "cmd/program/missing_rights.h"
#include "infrastructure/provider.h"
#include "infrastructure/sim/cloud.h"
#include "kube/remote_client.h"
#include "net/io_pool.h"
#include "runtime/endpoints.h"
#include "runtime/gatekeeper.h"
#include "runtime/leader.h"

namespace capstan::provider {
namespace {

constexpr auto kFirstContact = std::chrono::seconds(15);
constexpr auto kSyncLimit = std::chrono::minutes(5);
constexpr std::string_view kUsualNamespace = "capstan-system";
constexpr std::string_view kLeaseStem = "controller-leader-election-capstan";

// The provider of a control plane makes it, and what an earlier capstan-dev has made went with that process.
class NoControlPlanes final : public infrastructure::sim::ControlPlanes {
 public:
  Result<infrastructure::sim::ControlPlane> ensure(const kube::ObjectKey& cluster, const Deadline&) override {
    return fail(Code::Invalid, "no control plane is made here for " + cluster.describe());
  }
  Result<void> remove(const kube::ObjectKey&, const Deadline&) override { return {}; }
  std::shared_ptr<kube::Client> client(const kube::ObjectKey&) override { return nullptr; }
};

class Serving {
 public:
  Serving(const Options& options, const program::Seams& seams, const Log& log, std::stop_token stop)
      : options_(options), seams_(seams), log_(log), stop_(std::move(stop)) {}
  ~Serving() { end(); }
  Serving(const Serving&) = delete;
  Serving& operator=(const Serving&) = delete;

  Result<void> begin() {
    bootstrap_client_ = TRY(client("capstan-bootstrap"));
    infrastructure_client_ = TRY(client("capstan-infrastructure"));
    make_providers();
    TRY(serve_endpoints());
    TRY(bootstrap_client_->get_path("/version", Deadline::in(seams_.clock, kFirstContact, stop_)));
    for (const std::string& provider : options_.scope.providers) TRY(lead(provider));
    const Deadline limit = Deadline::in(seams_.clock, kSyncLimit, stop_);
    began_ = true;
    if (infrastructure_) TRY(infrastructure_->start(limit));
    if (bootstrap_) TRY(bootstrap_->start(limit));
    log_.info("providers run");
    return {};
  }

  // In reverse. The Leases are given back when nothing acts any more.
  void end() {
    const bool began = std::exchange(began_, false);
    if (began && bootstrap_) bootstrap_->stop();
    if (began && infrastructure_) infrastructure_->stop();
    leaders_.clear();
    endpoints_.stop();
  }

 private:
  Result<std::unique_ptr<kube::RemoteClient>> client(std::string user_agent) {
    return kube::RemoteClient::make(
        {io_, seams_.threads, seams_.clock}, TRY(program::connection(options_.scope.kubeconfig)),
        {.user_agent = std::move(user_agent),
         .rate_limit = {.qps = options_.work.kube_api_qps, .burst = options_.work.kube_api_burst},
         .proxies = net::proxy_rules(program::environment),
         .on_request = program::MissingRights(log_.component("client"))});
  }

  void make_providers() {
    const auto many = [](int count) { return static_cast<std::size_t>(count); };
    if (options_.runs(kBootstrap))
      bootstrap_ = std::make_unique<bootstrap::Provider>(
          bootstrap::ProviderDeps{.clock = seams_.clock,
                                  .threads = seams_.threads,
                                  .client = *bootstrap_client_,
                                  .randomness = seams_.randomness,
                                  .log = log_.component("bootstrap"),
                                  .metrics = &metrics_},
          bootstrap::ProviderOptions{.concurrency = many(options_.work.cloud_config),
                                     .seed = seams_.randomness.next()});
    if (!options_.runs(kInfrastructure)) return;
    cloud_ = std::make_unique<infrastructure::sim::SimCloud>(
        infrastructure::sim::CloudDeps{seams_.clock, seams_.threads, log_.component("cloud")},
        infrastructure::sim::Script{.seed = seams_.randomness.next()});
    infrastructure_ = std::make_unique<infrastructure::Provider>(
        infrastructure::ProviderDeps{.clock = seams_.clock,
                                     .threads = seams_.threads,
                                     .client = *infrastructure_client_,
                                     .driver = *cloud_,
                                     .control_planes = no_control_planes_,
                                     .randomness = seams_.randomness,
                                     .log = log_.component("infrastructure"),
                                     .metrics = &metrics_},
        infrastructure::ProviderOptions{.machine_concurrency = many(options_.work.driver_machine),
                                        .cluster_concurrency = many(options_.work.driver_cluster),
                                        .pool_concurrency = many(options_.work.driver_machine_pool),
                                        .seed = seams_.randomness.next(),
                                        .makes_control_planes = false});
  }

  Result<void> serve_endpoints() {
    endpoints_.add_setting(program::verbosity_setting(log_));
    endpoints_.before_scrape([this] {
      if (bootstrap_) bootstrap_->refresh_metrics();
      if (infrastructure_) infrastructure_->refresh_metrics();
    });
    const auto& wanted = options_.endpoints;
    const auto probes = TRY(program::parse_listen_address("health-addr", wanted.health_addr));
    if (!probes.off)
      TRY(program::on_own_port(endpoints_.serve_probes({.host = probes.host, .port = probes.port})));
    const auto pages = TRY(program::parse_listen_address("diagnostics-address", wanted.diagnostics_address));
    if (pages.off) return {};
    const runtime::ListenOn where{.host = pages.host, .port = pages.port};
    if (wanted.insecure_diagnostics)
      return program::on_own_port(endpoints_.serve_diagnostics(where, nullptr, {}));
    const auto oldest =
        wanted.tls_min_version == "VersionTLS13" ? net::TlsVersion::Tls13 : net::TlsVersion::Tls12;
    auto tls = TRY(program::self_signed_tls(seams_.clock, program::host_name(), oldest));
    return program::on_own_port(endpoints_.serve_diagnostics(
        where, std::move(tls), runtime::ask_api_server(*bootstrap_client_, seams_.clock)));
  }

  // A Lease for each provider: a process that runs both excludes those that run one.
  Result<void> lead(const std::string& provider) {
    const auto& election = options_.election;
    if (!election.leader_elect) return {};
    const std::string begin = election.lease_name.empty() ? std::string(kLeaseStem) : election.lease_name;
    leaders_.push_back(std::make_unique<runtime::Leader>(
        runtime::LeaderDeps{seams_.clock, seams_.threads, *bootstrap_client_, log_.component("leader")},
        runtime::LeaderOptions{
            .lease = {.namespace_ = election.lease_namespace.empty() ? program::pod_namespace(kUsualNamespace)
                                                                     : election.lease_namespace,
                      .name = begin + "-" + provider},
            .identity = program::host_name() + "_" + std::to_string(seams_.randomness.next()),
            .times = {election.lease_duration, election.renew_deadline, election.retry_period}},
        [] { _exit(program::kLeaseLost); }));  // at once: another process acts from now on
    leaders_.back()->start();
    if (leaders_.back()->wait_until_leading(Deadline::never(stop_)) == Woken::Notified) return {};
    return fail(Code::Cancelled, "told to stop");
  }

  const Options& options_;
  const program::Seams seams_;
  const Log log_;
  const std::stop_token stop_;
  net::IoPool io_;
  Metrics metrics_;
  runtime::Endpoints endpoints_{io_, metrics_, log_.component("endpoints")};
  NoControlPlanes no_control_planes_;
  std::unique_ptr<kube::RemoteClient> bootstrap_client_;
  std::unique_ptr<kube::RemoteClient> infrastructure_client_;
  std::vector<std::unique_ptr<runtime::Leader>> leaders_;
  std::unique_ptr<infrastructure::sim::SimCloud> cloud_;
  std::unique_ptr<infrastructure::Provider> infrastructure_;
  std::unique_ptr<bootstrap::Provider> bootstrap_;
  bool began_ = false;
};

}  // namespace

Result<void> serve(const Options& options, const program::Seams& seams, const Log& log,
                   const std::stop_token& stop) {
  Serving serving(options, seams, log, stop);
  TRY(serving.begin());
  if (!options.process.exit_when_ready) seams.threads.pause(Deadline::never(stop));
  log.info("stopping");
  serving.end();
  return {};
}

}  // namespace capstan::provider
