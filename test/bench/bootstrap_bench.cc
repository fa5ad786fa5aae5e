// What a machine that joins costs: the size of its user data, and what the bootstrap provider asks both API
// servers for it and at rest. The real provider on two embedded API servers, in virtual time.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "api/schema/decode.h"
#include "api/schema/yaml.h"
#include "bootstrap/node_config_fixture.h"
#include "bootstrap/user_data.h"
#include "net/certificate_request.h"
#include "test/bench/bench_fleet.h"
#include "test/bench/figure.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using bootstrap::NodeConfigFixture;
using std::chrono::minutes;

constexpr int kJoiningMachines = 20;
constexpr auto kBootstrapRest = minutes(1);
constexpr std::string_view kSampleWorker = "examples/driver-python/worker.yaml";

// The CloudConfig of the example's worker.
api::CloudConfigSpec sample_spec() {
  std::ifstream file{std::string(kSampleWorker)};
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  for (const json::value& document : must(api::parse_yaml_documents(text)))
    if (document.at("kind") == "CloudConfig")
      return must(api::decode<api::CloudConfigSpec>(json::serialize(document.at("spec"))));
  throw std::runtime_error(fmt::format("{} has no CloudConfig", kSampleWorker));
}

// With a CA as clusters have them.
double user_data_kb() {
  const SystemClock clock;
  const auto ca = must(net::new_ca("kubernetes", clock.now(), clock.now() + std::chrono::hours(24)));
  const bootstrap::MachineFacts facts = {
      .cluster = "walk",
      .namespace_ = "default",
      .machine = "walk-worker",
      .kubernetes_version = "v1.36.0",
      .endpoint = "10.0.0.1:6443",
      .join = bootstrap::JoinFacts{.authority_pem = ca.certificate_pem, .token = "abcdef.0123456789abcdef"},
      .node_config = bootstrap::NodeConfigFacts{.name = "workers"}};
  return static_cast<double>(must(bootstrap::render(sample_spec(), facts)).size()) / 1024;
}

std::string request_of(const std::string& machine) {
  const auto key = must(net::new_private_key());
  return must(net::certificate_request({.common_name = "capstan.dev:agent:default:" + machine,
                                        .organizations = {"capstan.dev:node-config:default:workers"}},
                                       key));
}

void require(bool holds, std::string_view what) {
  if (!holds) throw std::runtime_error(std::string(what));
}

// From its creation to the end of its token, with the agent's certificate approved in between.
void join_machine(NodeConfigFixture& world, const std::string& name) {
  world.add_machine(name);
  require(world.eventually([&] { return world.created(name); }), "no data Secret");
  world.request(name, request_of(name), world.token_user());
  require(world.eventually([&] { return world.answer(name).starts_with("Approved"); }), "not approved");
  world.boot(name);
  world.join(name);
  require(world.eventually([&] { return world.tokens().empty(); }), "the token stays");
  world.sleep(minutes(1));
}

// What NodeConfigs cost is counted by Nodes and changes, not here.
int writes_in(const std::map<std::pair<fakes::Call, std::string>, int>& writes) {
  int count = 0;
  for (const auto& [what, times] : writes) {
    if (what.second == "NodeConfig") continue;
    say(fmt::format("{} x {}", times, what.second));
    count += times;
  }
  return count;
}

double writes_per_machine(NodeConfigFixture& world) {
  join_machine(world, "first");  // with it the bindings
  world.writes.clear();
  world.workload_writes.clear();
  for (int i = 0; i < kJoiningMachines; ++i) join_machine(world, fmt::format("m{}", i));
  return (writes_in(world.writes) + writes_in(world.workload_writes)) / double{kJoiningMachines};
}

double requests_at_rest(NodeConfigFixture& world) {
  world.requests = world.workload_requests = 0;
  world.sleep(kBootstrapRest);
  return world.requests + world.workload_requests;
}

}  // namespace

Values bootstrap_costs(const Place&) {
  testing::FLAGS_gtest_throw_on_failure = true;
  Values values = {{"bootstrap.user_data_kb", user_data_kb()}};
  NodeConfigFixture world;
  world.run([&] {
    world.begin();
    world.add_node_config();
    values["bootstrap.writes_per_machine"] = writes_per_machine(world);
    values["bootstrap.idle_requests"] = requests_at_rest(world);
  });
  return values;
}

}  // namespace capstan::bench
