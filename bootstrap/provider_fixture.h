// The bootstrap provider under a baton, on a management API server in memory and that of one workload
// cluster, to which every Cluster leads. The test plays the core provider and the users. For the tests of the
// provider as a whole; used by one thread at a time.
#pragma once

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <map>
#include <memory>

#include "api/bootstrap/cloud_config.h"
#include "api/bootstrap/node_config.h"
#include "api/conditions/conditions.h"
#include "api/core/secret.h"
#include "api/names.h"
#include "api/schema/crd.h"
#include "api/v1beta2/machine_pool.h"
#include "bootstrap/provider.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"
#include "test/fakes/baton.h"
#include "test/fakes/faulty_client.h"
#include "test/fakes/memory_client.h"

namespace capstan::bootstrap {

namespace json = boost::json;
using fakes::Call;
using fakes::Fault;
using fakes::FaultPoint;
using kube::ObjectKey;

inline const Deadline kNever = Deadline::never();
// The process that faults kill, where the provider is one of its own.
inline constexpr std::string_view kProvider = "provider";
inline ObjectKey named(std::string name) { return {.namespace_ = "default", .name = std::move(name)}; }

template <typename T>
void must(const Result<T>& result, std::string_view what) {
  if (!result) ADD_FAILURE() << what << ": " << result.error().describe();
}

struct BootstrapFixture {
  fakes::Baton baton;
  apiserver::Api api;
  fakes::MemoryClient user;
  fakes::MemoryClient wire;
  fakes::FaultyClient network;
  apiserver::Api workload_api;  // the API server of every Cluster
  fakes::MemoryClient workload;
  kube::Client* workload_through = &workload;  // what the provider reaches of it
  bool workload_answers = true;
  int requests = 0;  // to the management cluster; watches are not counted
  int workload_requests = 0;
  std::map<std::pair<Call, std::string>, int> writes = {};
  std::map<std::pair<Call, std::string>, int> workload_writes = {};
  api::CloudConfigSpec spec = {};  // of the CloudConfigs that are added
  std::function<Fault(const FaultPoint&)> fault = {};
  std::function<Fault(const FaultPoint&)> workload_fault = {};

  explicit BootstrapFixture(std::uint64_t seed = 1)
      : baton({.seed = seed}),
        api({.clock = baton, .seed = seed}),
        user(api, baton, {.user = "core"}),
        wire(api, baton, {.user = "provider"}),
        network(wire, baton, baton,
                {.choose =
                     [this](const FaultPoint& point) {
                       requests += point.call == Call::Watch || point.call == Call::Piece ? 0 : 1;
                       return fault ? fault(point) : Fault::None;
                     },
                 .crash = [this] { baton.crash(kProvider); },
                 .crashing = [this] { return baton.crashing(); },
                 .spawn_outside = [this](Threads::Body body) { return spawn_network(std::move(body)); },
                 .on_effect =
                     [this](const FaultPoint& point) { ++writes[{point.call, std::string(point.kind)}]; }}),
        workload_api({.clock = baton, .seed = seed}),
        workload(workload_api, baton, {.user = "admin"}) {}

  void run(const std::function<void()>& story) {
    const auto report = baton.run([&] {
      install_kinds();
      SeededRandomness randomness(1);
      Provider provider(deps_with(randomness), {.concurrency = 2});
      must(provider.start(Deadline::in(baton, std::chrono::minutes(1))), "start");
      story();
      provider.stop();
    });
    EXPECT_TRUE(report.finished()) << report.why;
  }
  ProviderDeps deps_with(SeededRandomness& randomness) {
    return {.clock = baton,
            .threads = baton,
            .client = network,
            .randomness = randomness,
            .dial = [this](const auto&, const auto&) { return dial(); },
            .keys = &randomness};
  }
  void install_kinds() {
    for (const json::value& crd :
         {api::crd<api::Cluster>(), api::crd<api::Machine>(), api::crd<api::MachinePool>(),
          api::crd<api::CloudConfig>(), api::crd<api::NodeConfig>()})
      must(user.create(kube::resources::custom_resource_definitions(), {}, crd, {}, kNever), "install");
  }
  std::unique_ptr<Thread> spawn_network(Threads::Body body) {
    return baton.spawn_process("network", std::move(body));
  }
  Result<std::unique_ptr<kube::Client>> dial() {
    if (!workload_answers) return fail(Code::Unavailable, "no route to host");
    return std::make_unique<fakes::FaultyClient>(
        *workload_through, baton, baton,
        fakes::FaultPlan{
            .choose =
                [this](const FaultPoint& point) {
                  ++workload_requests;
                  return workload_fault ? workload_fault(point) : Fault::None;
                },
            .crash = [this] { baton.crash(kProvider); },
            .crashing = [this] { return baton.crashing(); },
            .spawn_outside = [this](Threads::Body body) { return spawn_network(std::move(body)); },
            .on_effect =
                [this](const FaultPoint& point) {
                  ++workload_writes[{point.call, std::string(point.kind)}];
                }});
  }
  template <typename T>
  T put(T object) {
    object.metadata.uid = {};
    object.metadata.resource_version = {};
    const auto made = kube::create(user, object, {}, kNever);
    must(made, "create");
    return made ? *made : object;
  }
  template <typename T>
  std::optional<T> get(const std::string& name) {
    const auto found = kube::get<T>(user, named(name), kNever);
    return found ? std::optional(*found) : std::nullopt;
  }
  void add_cluster(bool provisioned = true, const std::string& name = "c1") {
    put(builders::a_cluster(name).endpoint("10.0.0.1", 6443).build());
    if (provisioned) provision_cluster(name);
  }
  void provision_cluster(const std::string& name = "c1") {
    const auto cluster = get<api::Cluster>(name);
    api::Cluster after = *cluster;
    after.status.initialization.infrastructure_provisioned = true;
    must(kube::patch_status(user, *cluster, after, kNever), "provision the cluster");
  }
  void add_machine(const std::string& name, std::string_view data_secret = {}) {
    api::Machine machine = builders::a_machine(name).version("v1.35.0");
    machine.spec.bootstrap.config_ref = {
        .api_group = Text(api::group::kBootstrap), .kind = "CloudConfig"_text, .name = Text(name)};
    if (!data_secret.empty()) machine.spec.bootstrap.data_secret_name = Text(data_secret);
    machine = put(machine);
    api::CloudConfig config;
    config.metadata.name = Text(name);
    config.metadata.namespace_ = "default"_text;
    config.metadata.labels.set(api::label::kClusterName, "c1");
    config.spec = spec;
    config.metadata.owner_references = api::OwnerReferences({{.api_version = Text(api::kApiVersion),
                                                              .kind = "Machine"_text,
                                                              .name = machine.metadata.name,
                                                              .uid = machine.metadata.uid}});
    put(config);
  }
  void add_pool(const std::string& name) {
    api::MachinePool pool;
    pool.metadata.name = Text(name);
    pool.metadata.namespace_ = "default"_text;
    pool.spec.cluster_name = "c1"_text;
    auto& machine = pool.spec.machine_template.spec;
    machine.cluster_name = "c1"_text;
    machine.version = "v1.35.0"_text;
    machine.bootstrap.config_ref = {
        .api_group = Text(api::group::kBootstrap), .kind = "CloudConfig"_text, .name = Text(name)};
    machine.infrastructure_ref = {
        .api_group = Text(api::group::kInfrastructure), .kind = "DriverMachinePool"_text, .name = Text(name)};
    pool = put(pool);
    api::CloudConfig config;
    config.metadata.name = Text(name);
    config.metadata.namespace_ = "default"_text;
    config.metadata.labels.set(api::label::kClusterName, "c1");
    config.spec = spec;
    config.metadata.owner_references = api::OwnerReferences({{.api_version = Text(api::kApiVersion),
                                                              .kind = "MachinePool"_text,
                                                              .name = pool.metadata.name,
                                                              .uid = pool.metadata.uid}});
    put(config);
  }
  void sleep(Nanoseconds span) { baton.pause(Deadline::in(baton, span)); }
  bool eventually(const std::function<bool()>& holds) {
    const SteadyTime until = baton.steady_now() + std::chrono::minutes(5);
    while (!holds()) {
      if (baton.steady_now() > until) return false;
      sleep(std::chrono::milliseconds(100));
    }
    return true;
  }
  bool created(const std::string& name) {
    const auto config = get<api::CloudConfig>(name);
    return config && config->status.initialization.data_secret_created.value_or(false);
  }
  std::string ready_reason(const std::string& name) {
    const auto config = get<api::CloudConfig>(name);
    const auto ready = config ? api::conditions::find(config->status.conditions, "Ready") : nullptr;
    return ready == nullptr ? std::string() : ready->reason.str();
  }
  Result<json::value> secret(const std::string& name) {
    return user.get(kube::resources::secrets(), named(name), kNever);
  }
  void put_foreign_secret(std::string_view name) {
    const json::value foreign = {{"apiVersion", "v1"},
                                 {"kind", "Secret"},
                                 {"metadata", {{"name", name}, {"namespace", "default"}}},
                                 {"data", {{"mine", "eA=="}}}};
    must(user.create(kube::resources::secrets(), named(std::string(name)), foreign, {}, kNever), "create");
  }
  // "Warning DataSecretTaken: ...", in the order in which they came up.
  std::vector<std::string> events() {
    const auto listed = user.list(kube::resources::events(), {.namespace_ = "default"}, kNever);
    must(listed, "list the Events");
    std::map<std::string, std::string> by_name;  // a name ends in the time of the Event
    for (const json::value& event : listed->at("items").as_array()) {
      const auto text = [&](std::string_view field) { return std::string(event.at(field).as_string()); };
      by_name.emplace(event.at("metadata").at("name").as_string(),
                      text("type") + " " + text("reason") + ": " + text("message"));
    }
    std::vector<std::string> texts;
    for (const auto& [unused, text] : by_name) texts.push_back(text);
    return texts;
  }
};

}  // namespace capstan::bootstrap
