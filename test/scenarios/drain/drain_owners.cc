#include "test/scenarios/drain/drain_owners.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>

#include "api/conditions/conditions.h"
#include "controllers/machinedeployment/reconciler.h"
#include "controllers/machinepool/reconciler.h"
#include "controllers/machineset/reconciler.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/identity.h"
#include "test/builders/machine_deployment.h"

namespace capstan::scenarios {
namespace {

namespace json = boost::json;
namespace machine = controllers::machine;
using namespace std::chrono_literals;
using builders::kNamespace;

constexpr std::string_view kDeployment = "md1";
constexpr std::string_view kPool = "mp1";
constexpr std::string_view kInstance = "mp1-0";  // its only one

kube::Resource kind_like(const kube::Resource& of, std::string_view more) {
  return {.group = of.group,
          .version = of.version,
          .plural = of.plural.substr(0, of.plural.size() - 1) + std::string(more) + "s",
          .kind = of.kind + (more == "pool" ? "Pool" : "Template")};
}
const kube::Resource& infra_templates() {
  static const kube::Resource made = kind_like(machine::kDockerMachines, "template");
  return made;
}
const kube::Resource& config_templates() {
  static const kube::Resource made = kind_like(machine::kKubeadmConfigs, "template");
  return made;
}
const kube::Resource& infra_pools() {
  static const kube::Resource made = kind_like(machine::kDockerMachines, "pool");
  return made;
}

json::value object_of(const kube::Resource& resource, std::string_view name, json::value spec) {
  return {
      {"apiVersion", resource.api_version()},
      {"kind", resource.kind},
      {"metadata",
       {{"name", name}, {"namespace", kNamespace}, {"labels", {{"cluster.x-k8s.io/cluster-name", "c1"}}}}},
      {"spec", std::move(spec)}};
}

api::ContractRef reference_to(const kube::Resource& resource, std::string_view name) {
  return {.api_group = Text(resource.group), .kind = Text(resource.kind), .name = Text(name)};
}

// "aaaaa", "bbbbb"
class LetterNames final : public NameGenerator {
 public:
  std::string suffix(std::size_t length) override { return std::string(length, next_++); }

 private:
  char next_ = 'a';
};

// What the controllers of one story share.
struct Office {
  explicit Office(machine::MachineFixture& with)
      : world(with),
        client(with.api, with.baton, {.user_agent = "manager/1"}),
        loop(with.baton, with.baton),
        informers({.loop = loop, .client = client}) {}

  machine::MachineFixture& world;
  fakes::MemoryClient client;
  kube::WatchLoop loop;
  runtime::DynamicInformers informers;
  fakes::RecordedEvents events = {};
  LetterNames names = {};
  runtime::OpenBrake brake = {};
  SeededRandomness randomness{1};
};

template <typename R>
class Desk {
 public:
  Desk(Office& office, std::string_view name, std::string_view kind)
      : deps_{.clock = office.world.baton,
              .threads = office.world.baton,
              .client = office.client,
              .caches = office.world.caches,
              .workload_clusters = office.world.workload_clusters,
              .events = office.events,
              .names = office.names,
              .brake = office.brake},
        reconciler_(deps_),
        controller_({.clock = office.world.baton,
                     .threads = office.world.baton,
                     .client = office.client,
                     .randomness = office.randomness},
                    {.name = std::string(name),
                     .kind = std::string(kind),
                     .concurrency = 1,
                     .queue = {.pace = 100ms}},
                    reconciler_),
        externals_(office.informers, office.world.caches.crds, {.group = api::group::kCluster, .kind = kind},
                   controller_.queue()) {
    reconciler_.bind({controller_.consistency(), externals_, controller_.queue()});
    reconciler_.add_triggers(controller_.queue());
  }
  void start() { controller_.start(); }
  void stop() {
    controller_.stop();
    if constexpr (requires { reconciler_.stop_drains(); }) reconciler_.stop_drains();
  }

 private:
  const controllers::Deps deps_;
  R reconciler_;
  runtime::Controller controller_;
  runtime::ExternalRefs externals_;
};

// Where users look first.
template <typename T>
std::string told_by(const T& owner) {
  const auto& list = owner.status.conditions;
  for (const std::string_view type : {api::condition::kDeleting, api::condition::kScalingDown}) {
    const auto found = api::conditions::find(list, type);
    if (found != nullptr && found->status == api::status::kTrue)
      return fmt::format("{} {}: {}", type, found->reason.view(), found->message.view());
  }
  const auto found = api::conditions::find(list, api::condition::kMachinesReady);
  if (found == nullptr || found->status == api::status::kTrue) return {};
  return fmt::format("{} {} {}: {}", found->type.view(), found->status.view(), found->reason.view(),
                     found->message.view());
}

class DeploymentOwners final : public DrainOwners {
 public:
  explicit DeploymentOwners(machine::MachineFixture& world)
      : office_(world),
        deployments_(office_, "machinedeployment", api::kind::kMachineDeployment),
        sets_(office_, "machineset", api::kind::kMachineSet) {
    for (const auto& kind : {infra_templates(), config_templates()}) {
      world.make(kube::resources::custom_resource_definitions(), controllers::provider_crd(kind));
      world.make(kind, object_of(kind, kDeployment, {{"template", {{"spec", json::object()}}}}));
    }
    deployments_.start();
    sets_.start();
  }

  std::string make_machine() override {
    auto& world = office_.world;
    api::MachineDeployment wanted = builders::a_machine_deployment(kDeployment).version("v1.36.3");
    auto& spec = wanted.spec.machine_template.spec;
    spec.bootstrap.config_ref = reference_to(config_templates(), kDeployment);
    spec.infrastructure_ref = reference_to(infra_templates(), kDeployment);
    world.put(wanted);
    world.settle(5s);
    for (const auto& each : world.caches.machines_of({std::string(kNamespace), "c1"})) {
      if (each->metadata.name != "cp") return each->metadata.name.str();
    }
    ADD_FAILURE() << "MachineDeployment md1 has no Machine";
    return {};
  }
  Word let_it_go() override {
    office_.world.patch(kube::resource_of<api::MachineDeployment>(), kDeployment,
                        {{"spec", {{"replicas", 0}}}});
    return {"user", "scales MachineDeployment md1 to 0"};
  }
  std::vector<Word> say() const override {
    std::vector<Word> words;
    const auto& caches = office_.world.caches;
    for (const auto& set : caches.machine_sets.all()) words.push_back({"set", told_by(*set)});
    for (const auto& each : caches.machine_deployments.all()) words.push_back({"deployment", told_by(*each)});
    return words;
  }
  void stop() override {
    deployments_.stop();
    sets_.stop();
  }

 private:
  Office office_;
  Desk<controllers::machinedeployment::Reconciler> deployments_;
  Desk<controllers::machineset::Reconciler> sets_;
};

// Its provider has an object for each instance, so the pool has Machines.
class PoolOwners final : public DrainOwners {
 public:
  explicit PoolOwners(machine::MachineFixture& world)
      : office_(world), pools_(office_, "machinepool", api::kind::kMachinePool) {
    world.make(kube::resources::custom_resource_definitions(), controllers::provider_crd(infra_pools()));
    pools_.start();
  }
  ~PoolOwners() override = default;
  PoolOwners(const PoolOwners&) = delete;
  PoolOwners& operator=(const PoolOwners&) = delete;

  std::string make_machine() override {
    auto& world = office_.world;
    json::value box = object_of(machine::kDockerMachines, kInstance, json::object());
    box.at("metadata").at("labels").as_object()["cluster.x-k8s.io/pool-name"] = kPool;
    world.make(machine::kDockerMachines, std::move(box));
    world.make(machine::kKubeadmConfigs, object_of(machine::kKubeadmConfigs, kPool, json::object()));
    world.patch(machine::kKubeadmConfigs, kPool,
                {{"status", {{"initialization", {{"dataSecretCreated", true}}}, {"dataSecretName", "data"}}}},
                "status");
    world.make(infra_pools(),
               object_of(infra_pools(), kPool,
                         {{"providerIDList", json::array{"docker:////" + std::string(kInstance)}}}));
    world.patch(
        infra_pools(), kPool,
        {{"status",
          {{"ready", true}, {"replicas", 1}, {"infrastructureMachineKind", machine::kDockerMachines.kind}}}},
        "status");
    api::MachinePool wanted;
    wanted.metadata = builders::metadata_of(api::kind::kMachinePool, kPool);
    wanted.spec.cluster_name = "c1"_text;
    wanted.spec.replicas = 1;
    auto& spec = wanted.spec.machine_template.spec;
    spec.cluster_name = "c1"_text;
    spec.version = "v1.36.3"_text;
    spec.bootstrap.config_ref = reference_to(machine::kKubeadmConfigs, kPool);
    spec.infrastructure_ref = reference_to(infra_pools(), kPool);
    world.put(wanted);
    world.settle(5s);
    return std::string(kInstance);
  }
  // As every provider does that has Machines.
  Word let_it_go() override {
    auto& world = office_.world;
    world.patch(kube::resource_of<api::MachinePool>(), kPool, {{"spec", {{"replicas", 0}}}});
    world.remove(machine::machines(), kInstance);
    return {"user", "scales MachinePool mp1 to 0, and its provider deletes the Machine"};
  }
  std::vector<Word> say() const override {
    std::vector<Word> words;
    for (const auto& pool : office_.world.caches.machine_pools.all())
      words.push_back({"pool", told_by(*pool)});
    return words;
  }
  void stop() override { pools_.stop(); }

 private:
  Office office_;
  Desk<controllers::machinepool::Reconciler> pools_;
};

}  // namespace

std::unique_ptr<DrainOwners> DrainOwners::of(DrainOwner owner, machine::MachineFixture& world) {
  switch (owner) {
    case DrainOwner::None: break;
    case DrainOwner::Deployment: return std::make_unique<DeploymentOwners>(world);
    case DrainOwner::Pool: return std::make_unique<PoolOwners>(world);
  }
  return nullptr;
}

}  // namespace capstan::scenarios
