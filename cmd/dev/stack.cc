#include "cmd/dev/stack.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/schema/crd.h"
#include "base/try.h"
#include "bootstrap/provider.h"
#include "cmd/crdgen/kinds.h"
#include "cmd/dev/api_outages.h"
#include "infrastructure/provider.h"
#include "infrastructure/sim/kubelet.h"
#include "kube/resources.h"
#include "kubeconfig/connect.h"

namespace capstan::dev {
namespace {

constexpr auto kStartLimit = std::chrono::seconds(30);

}  // namespace

// In the order of construction; destruction is the reverse, and every client goes before `io`.
class Stack::Parts {
 public:
  Parts(const manager::Seams& given_seams, const StackOptions& given_options, Log given_log)
      : seams(given_seams), options(given_options), log(std::move(given_log)) {}
  ~Parts() { stop(); }

  Result<void> start(const std::stop_token& stop);
  void stop();

  Result<std::unique_ptr<kube::RemoteClient>> connect(std::string user_agent) const;
  Result<void> install_kinds(const Deadline& deadline) const;

  const manager::Seams seams;
  const StackOptions options;
  const Log log;

  mutable net::IoPool io;
  std::unique_ptr<apiserver::Server> server;
  std::unique_ptr<EmbeddedControlPlanes> control_planes;
  std::unique_ptr<infrastructure::sim::SimCloud> cloud;
  std::unique_ptr<infrastructure::sim::Kubelets> kubelets;
  std::unique_ptr<ApiOutages> outages;
  std::unique_ptr<kube::RemoteClient> user;
  std::unique_ptr<kube::RemoteClient> infrastructure_client;
  std::unique_ptr<kube::RemoteClient> bootstrap_client;
  std::unique_ptr<infrastructure::Provider> infrastructure;
  std::unique_ptr<bootstrap::Provider> bootstrap;
  std::unique_ptr<manager::Wiring> core;
};

Result<std::unique_ptr<kube::RemoteClient>> Stack::Parts::connect(std::string user_agent) const {
  const auto text = TRY(server->kubeconfig());
  const auto config = TRY(kubeconfig::parse(text));
  auto connection = TRY(kubeconfig::connection(config));
  return kube::RemoteClient::make({io, seams.threads, seams.clock}, std::move(connection),
                                  {.user_agent = std::move(user_agent)});
}

Result<void> Stack::Parts::install_kinds(const Deadline& deadline) const {
  for (const auto& versions : crdgen::kinds()) {
    const auto crd = api::crd(versions);
    const std::string name(crd.at("metadata").at("name").as_string());
    if (std::ranges::find(options.kinds_left_out, name) != options.kinds_left_out.end()) continue;
    const auto created =
        user->create(kube::resources::custom_resource_definitions(), {.name = name}, crd, {}, deadline);
    if (!created) return fail(created.error().context("install " + name));
  }
  return {};
}

Result<void> Stack::Parts::start(const std::stop_token& stop) {
  const Deadline deadline = Deadline::in(seams.clock, kStartLimit, stop);
  server = TRY(apiserver::Server::start(
      io, seams.clock, seams.threads,
      {.name = "capstan-dev", .address = options.address, .port = options.port, .seed = options.seed}));
  user = TRY(connect("capstan-dev"));
  TRY(install_kinds(deadline));

  control_planes =
      std::make_unique<EmbeddedControlPlanes>(io, seams.clock, seams.threads, options.seed * 1000);
  cloud = std::make_unique<infrastructure::sim::SimCloud>(
      infrastructure::sim::CloudDeps{seams.clock, seams.threads, log.component("cloud")}, options.cloud);
  kubelets = std::make_unique<infrastructure::sim::Kubelets>(infrastructure::sim::KubeletDeps{
      seams.clock, seams.threads, *cloud, *control_planes, log.component("kubelet")});
  kubelets->start();
  outages = std::make_unique<ApiOutages>(seams.clock, seams.threads, *cloud, *control_planes);

  infrastructure_client = TRY(connect("capstan-infrastructure"));
  infrastructure = std::make_unique<infrastructure::Provider>(
      infrastructure::ProviderDeps{.clock = seams.clock,
                                   .threads = seams.threads,
                                   .client = *infrastructure_client,
                                   .drivers = *cloud,
                                   .control_planes = *control_planes,
                                   .randomness = seams.randomness,
                                   .log = log.component("infrastructure")},
      infrastructure::ProviderOptions{.inventory_every = options.look_at_cloud_every});
  TRY(infrastructure->start(deadline));
  bootstrap_client = TRY(connect("capstan-bootstrap"));
  bootstrap =
      std::make_unique<bootstrap::Provider>(bootstrap::ProviderDeps{.clock = seams.clock,
                                                                    .threads = seams.threads,
                                                                    .client = *bootstrap_client,
                                                                    .randomness = seams.randomness,
                                                                    .log = log.component("bootstrap")});
  TRY(bootstrap->start(deadline));

  const auto text = TRY(server->kubeconfig());
  const auto config = TRY(kubeconfig::parse(text));
  auto connection = TRY(kubeconfig::connection(config));
  core = TRY(manager::Wiring::make(seams, options.manager,
                                   {.host_name = "capstan-dev", .pod_namespace = "default"},
                                   std::move(connection), log));
  return core->start(stop);
}

void Stack::Parts::stop() {
  if (core) core->stop();
  if (bootstrap) bootstrap->stop();
  if (infrastructure) infrastructure->stop();
  if (kubelets) kubelets->stop();
}

Stack::Stack(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Stack::~Stack() = default;

Result<std::unique_ptr<Stack>> Stack::start(const manager::Seams& seams, const StackOptions& options, Log log,
                                            const std::stop_token& stop) {
  auto parts = std::make_unique<Parts>(seams, options, std::move(log));
  TRY(parts->start(stop));
  return std::unique_ptr<Stack>(new Stack(std::move(parts)));
}

kube::Client& Stack::client() { return *parts_->user; }
Result<std::string> Stack::kubeconfig() const { return parts_->server->kubeconfig(); }
std::string Stack::url() const { return parts_->server->url(); }
EmbeddedControlPlanes& Stack::control_planes() { return *parts_->control_planes; }
infrastructure::sim::SimCloud& Stack::cloud() { return *parts_->cloud; }

}  // namespace capstan::dev
