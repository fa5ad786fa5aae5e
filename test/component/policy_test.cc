// A server that knows nothing of MachineLifecyclePolicies, as everybody's who comes from Cluster API.
#include "api/policy/machine_lifecycle_policy.h"
#include "api/policy/names.h"
#include "api/schema/crd.h"
#include "cmd/manager/wiring.h"
#include "kubeconfig/connect.h"
#include "net/http_client.h"
#include "net/io_pool.h"
#include "runtime/endpoints.h"
#include "test/component/fleet_story.h"

namespace capstan {
namespace {

class PolicyStory : public FleetStory {
 protected:
  ~PolicyStory() override {
    if (manager_) manager_->stop();
  }

  // Cloud and providers, and a server without the kind. The stack's own manager minds a namespace that nobody
  // uses; the one that is looked at is started afterwards.
  void start_server_without_policies() {
    auto elsewhere = quiet_manager();
    elsewhere.scope.namespace_ = "nobody";
    auto started = dev::Stack::start(
        {clock_, threads_, randomness_},
        {.cloud = quick_cloud(), .look_at_cloud_every = std::chrono::seconds(1), .manager = elsewhere}, Log(),
        {});
    ASSERT_TRUE(started) << started.error().describe();
    stack_ = std::move(*started);
    const auto removed = stack_->client().remove(kCrds, kPolicyCrd, {}, soon());
    ASSERT_TRUE(removed) << removed.error().describe();
    ASSERT_TRUE(eventually([&] { return !stack_->client().get(kCrds, kPolicyCrd, soon()); }));
    ASSERT_FALSE(create_policy()) << "the server knows the kind";
  }

  void start_manager() {
    auto options = quiet_manager();
    options.servers.health_addr = "127.0.0.1:" + free_port();
    probes_.emplace(io_,
                    net::HttpClientOptions{.origin = {.scheme = "http", .host = "127.0.0.1", .port = port_}});
    const auto config = kubeconfig::parse(stack_->kubeconfig().value());
    ASSERT_TRUE(config) << config.error().describe();
    auto made = manager::Wiring::make({clock_, threads_, randomness_}, options,
                                      {.host_name = "later", .pod_namespace = "default"},
                                      kubeconfig::connection(*config).value(), Log());
    ASSERT_TRUE(made) << made.error().describe();
    manager_ = std::move(*made);
    std::stop_source impatience;
    const auto timer = threads_.spawn("impatience", [&](const std::stop_token& stop) {
      if (threads_.pause(Deadline::in(clock_, kPatience, stop)) == Woken::TimedOut) impatience.request_stop();
    });
    const auto running = manager_->start(impatience.get_token());
    ASSERT_TRUE(running) << running.error().describe();
  }

  void bring_up(const dev::SampleOptions& sample) {
    watch_ = std::make_unique<dev::FleetWatch>(clock_, threads_, stack_->client());
    ASSERT_TRUE(watch_->start(soon()));
    for (const auto& manifest : dev::sample(sample)) {
      const auto applied = dev::apply_manifest(stack_->client(), manifest, soon());
      ASSERT_TRUE(applied) << applied.error().describe();
    }
  }

  void install_policies() {
    const auto created =
        stack_->client().create(kCrds, kPolicyCrd, api::crd<api::MachineLifecyclePolicy>(), {}, soon());
    ASSERT_TRUE(created) << created.error().describe();
    ASSERT_TRUE(eventually([&] { return create_policy().has_value(); }));
  }

  // Of everything in its namespace.
  Result<json::value> create_policy() {
    const json::value policy = {
        {"apiVersion", kPolicies.api_version()},
        {"kind", kPolicies.kind},
        {"metadata", {{"name", "p"}, {"namespace", "default"}}},
        {"spec", {{"selector", json::object()}, {"health", {{"sharedCause", json::object()}}}}}};
    return stack_->client().create(kPolicies, named("p"), policy, {}, soon());
  }

  // "True Selected: 1"
  std::string what_the_policy_selects() {
    const auto policy = kube::get<api::MachineLifecyclePolicy>(stack_->client(), named("p"), soon());
    if (!policy) return policy.error().describe();
    const auto* found = api::conditions::find(policy->status.conditions, api::policy::condition::kSelecting);
    if (found == nullptr) return "nobody looked at it";
    return found->status.str() + " " + found->reason.str() + ": " +
           std::to_string(policy->status.selected.machine_deployments);
  }

  std::string readyz() {
    const auto answer = probes_->request({.target = "/readyz"}, soon());
    return answer ? std::to_string(answer->status) + " " + answer->body : answer.error().describe();
  }

  bool eventually(const std::function<bool()>& done) {
    const Deadline limit = soon();
    while (!done()) {
      if (limit.passed(clock_.steady_now())) return false;
      threads_.pause(Deadline::in(clock_, std::chrono::milliseconds(20)));
    }
    return true;
  }

 private:
  const std::string& free_port() {
    Metrics metrics;
    runtime::Endpoints probe(io_, metrics, Log());
    EXPECT_TRUE(probe.serve_probes({.host = "127.0.0.1"}));
    port_ = std::to_string(probe.probes_port());
    probe.stop();
    return port_;
  }

  const kube::Resource& kCrds = kube::resources::custom_resource_definitions();
  const kube::Resource kPolicies = kube::resource_of<api::MachineLifecyclePolicy>();
  const kube::ObjectKey kPolicyCrd{.namespace_ = {}, .name = std::string(api::policy::kLifecyclePolicyCrd)};
  net::IoPool io_{1};
  std::string port_ = {};
  std::optional<net::HttpClient> probes_ = {};
  std::unique_ptr<manager::Wiring> manager_ = {};
};

TEST_F(PolicyStory, WithoutTheKindAManagerWorksAndItTakesAPolicyUpOnceTheKindIsInstalled) {
  start_server_without_policies();
  start_manager();
  bring_up({.machines = 2});
  wait_for("two workers without the kind", workers(2));
  EXPECT_EQ(readyz(), "200 ok");

  install_policies();

  EXPECT_TRUE(eventually([&] { return what_the_policy_selects() == "True Selected: 1"; }))
      << what_the_policy_selects();
  EXPECT_TRUE(eventually([&] { return readyz() == "200 ok"; })) << readyz();
  change_deployment("demo-workers", {{"spec", {{"replicas", 3}}}});
  wait_for("three workers with it", workers(3));
}

}  // namespace
}  // namespace capstan
