// Each write of the bootstrap provider, hit by each fault that leaves open what has happened: its answer is
// lost, or the provider dies before or after it. The first life of machines has no fault and counts the
// writes; each later one is the same life with one fault at one write. Every life reaches the same end.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "bootstrap/node_config_fixture.h"

namespace capstan::bootstrap {
namespace {

using namespace std::chrono_literals;
using nodeconfig::rights_of;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

constexpr auto kDeadFor = 2s;

// Of the provider, by server: "workload: patch Secret".
using Writes = std::vector<std::string>;

struct Hit {
  Fault fault = Fault::None;
  std::size_t write = 0;  // the number of the one that is hit
};

// The provider is a process that is started again when it has died.
struct FaultedLife : NodeConfigFixture {
  Hit hit = {};
  Writes writes = {};

  explicit FaultedLife(Hit wanted) : hit(wanted) {
    fault = [this](const FaultPoint& point) { return befall("management", point); };
    workload_fault = [this](const FaultPoint& point) { return befall("workload", point); };
  }

  void run(const std::function<void()>& story) {
    const auto report = baton.run([&] {
      install_kinds();
      const auto supervisor =
          baton.spawn("supervisor", [this](const std::stop_token& stop) { keep_provider(stop); });
      story();
    });
    EXPECT_TRUE(report.finished()) << report.why;
  }
  void await(std::string_view what, const std::function<bool()>& holds) {
    EXPECT_TRUE(eventually(holds)) << what << " after " << to_string(hit.fault) << " of " << hit_write();
  }
  std::uint64_t starts() const { return starts_; }
  std::string hit_write() const { return hit.write < writes.size() ? writes[hit.write] : "nothing"; }

 private:
  Fault befall(std::string_view server, const FaultPoint& point) {
    if (!is_write(point.call) || point.kind == "Event") return Fault::None;
    writes.push_back(fmt::format("{}: {} {}", server, to_string(point.call), point.kind));
    return writes.size() == hit.write + 1 ? hit.fault : Fault::None;
  }
  void keep_provider(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      const auto provider = baton.spawn_process(
          std::string(kProvider), [this](const std::stop_token& until) { run_provider(until); });
      const std::stop_callback pass_on(stop, [&] { provider->request_stop(); });
      provider->join();
      baton.pause(Deadline::in(baton, kDeadFor, stop));
    }
  }
  void run_provider(const std::stop_token& stop) {
    SeededRandomness randomness(++starts_);
    Provider provider(deps_with(randomness), {.concurrency = 2});
    if (provider.start(Deadline::in(baton, 1min, stop))) {
      Signal end("the end of the provider");
      baton.wait(end, end.count(), Deadline::never(stop));
    }
    provider.stop();
  }

  std::uint64_t starts_ = 0;
};

void boot_first_machine(FaultedLife& life) {
  life.add_machine("m1");
  life.await("data", [&] { return life.created("m1"); });
  life.sleep(30s);
  ASSERT_THAT(life.tokens(), SizeIs(1)) << life.hit_write();
  EXPECT_THAT(life.data_of("m1"), HasSubstr(life.tokens().front().text())) << life.hit_write();
  life.request("own", approval::kRequestOfM1, life.token_user());
  life.request("stolen", approval::kRequestOfM2, life.token_user());
  life.await("approval", [&] { return life.answer("own").starts_with("Approved"); });
  life.await("denial", [&] { return life.answer("stolen").starts_with("Denied"); });
  life.add_ready_node("m1");
  life.apply("m1");
  life.join("m1");
  life.await("the end of the token",
             [&] { return life.tokens().empty() && life.token_standing("m1") == "Removed"; });
}

void change_in_waves(FaultedLife& life) {
  const std::vector<std::string> names = {"m1", "m2"};
  life.change_file("2");
  life.await("the first wave", [&] { return life.released_among(names).size() == 1; });
  life.sleep(30s);
  EXPECT_THAT(life.released_among(names), SizeIs(1)) << life.hit_write();
  for (const auto& name : life.released_among(names)) life.apply(name);
  life.await("the second wave", [&] { return life.released_among(names).size() == 2; });
  for (const auto& name : names) life.apply(name);
  life.await("the end of the change", [&] { return life.ready().starts_with("Ready"); });
}

// One is gone, one says something else, and the binding of the group of agents is one to another role.
void spoil_rights(FaultedLife& life) {
  const auto rights = rights_of(life.workers);
  must(life.workload.remove(rights[0].resource, rights[0].key, {}, kNever), "take the Role");
  must(life.workload.patch(rights[1].resource, rights[1].key, {{"subjects", json::array()}}, {}, kNever),
       "empty the RoleBinding");
  json::object other = rights[2].object;
  other.at("roleRef").as_object()["name"] = "view";
  must(life.workload.remove(rights[2].resource, rights[2].key, {}, kNever), "take the ClusterRoleBinding");
  must(life.workload.create(rights[2].resource, rights[2].key, other, {}, kNever), "bind another role");
}

bool are_right(FaultedLife& life) {
  return std::ranges::all_of(rights_of(life.workers), [&](const nodeconfig::Right& right) {
    const auto present = life.workload.get(right.resource, right.key, kNever);
    return present && state_of(right, *present) == nodeconfig::RightState::Right;
  });
}

void repair_rights(FaultedLife& life) {
  spoil_rights(life);
  life.add_machine("m3");
  life.await("the data of m3", [&] { return life.created("m3"); });
  life.await("rights", [&] { return are_right(life); });
}

// Without an agent: requests for certificates would be looked for all day.
void rotate_token_of_pool(FaultedLife& life) {
  life.spec.node_config_ref.reset();
  life.add_pool("mp1");
  life.await("the data of the pool", [&] { return life.created("mp1"); });
  const std::string first = life.data_of("mp1");
  life.sleep(25h);
  EXPECT_NE(life.data_of("mp1"), first) << life.hit_write();
  EXPECT_TRUE(std::ranges::any_of(life.tokens(), [&](const Token& token) {
    return life.data_of("mp1").contains(token.text());
  })) << life.hit_write();
}

void expect_nothing_left(FaultedLife& life) {
  life.await("the end of the NodeConfig", [&] { return !life.get<api::NodeConfig>("workers"); });
  life.await("the end of tokens", [&] { return life.tokens().empty(); });
  life.await("the end of bindings", [&] { return life.bindings() == 0; });
  life.sleep(2min);
  EXPECT_EQ(life.rights(), 0U) << life.hit_write();
  EXPECT_FALSE(life.node_config_secret()) << life.hit_write();
  EXPECT_THAT(life.tokens(), IsEmpty()) << life.hit_write();
  for (const std::string name : {"m1", "m2", "m3", "mp1"})
    EXPECT_FALSE(life.get<api::CloudConfig>(name)) << name << " after " << life.hit_write();
}

void tell_life(FaultedLife& life) {
  life.begin();
  life.add_node_config();
  life.await("the NodeConfig", [&] { return life.stands(); });
  boot_first_machine(life);
  life.add_worker("m2");
  life.await("both Nodes", [&] { return life.ready().starts_with("Ready"); });
  change_in_waves(life);
  repair_rights(life);
  life.remove<api::Machine>("m3");
  life.remove<api::CloudConfig>("m3");
  rotate_token_of_pool(life);
  life.remove<api::MachinePool>("mp1");
  for (const std::string name : {"m1", "m2"}) life.remove<api::Machine>(name);
  for (const std::string name : {"mp1", "m1", "m2"}) life.remove<api::CloudConfig>(name);
  life.remove<api::NodeConfig>("workers");
  expect_nothing_left(life);
}

bool kills(Fault fault) { return fault == Fault::CrashBefore || fault == Fault::CrashAfter; }

Writes writes_of_life(Hit hit) {
  FaultedLife life(hit);
  life.run([&] { tell_life(life); });
  EXPECT_EQ(life.starts(), kills(hit.fault) ? 2U : 1U) << life.hit_write();
  return life.writes;
}

// What was hit.
std::set<std::string> hit_each(Fault fault) {
  const std::size_t count = writes_of_life({}).size();
  std::set<std::string> were_hit;
  for (std::size_t write = 0; write < count && !testing::Test::HasFailure(); ++write)
    were_hit.insert(writes_of_life({.fault = fault, .write = write}).at(write));
  return were_hit;
}

// A write that is added to the provider belongs here, and into the story.
std::set<std::string> all_writes() {
  return {"management: create Secret",
          "management: patch CloudConfig",
          "management: patch NodeConfig",
          "management: patch Secret",
          "workload: create ClusterRoleBinding",
          "workload: create Role",
          "workload: create RoleBinding",
          "workload: create Secret",
          "workload: patch CertificateSigningRequest",
          "workload: patch RoleBinding",
          "workload: patch Secret",
          "workload: remove ClusterRoleBinding",
          "workload: remove Role",
          "workload: remove RoleBinding",
          "workload: remove Secret"};
}

TEST(EachWrite, MayLoseItsAnswer) { EXPECT_EQ(hit_each(Fault::LostReply), all_writes()); }

TEST(EachWrite, MayBeWhereTheProviderDiesBeforeIt) { EXPECT_EQ(hit_each(Fault::CrashBefore), all_writes()); }

TEST(EachWrite, MayBeWhereTheProviderDiesAfterIt) { EXPECT_EQ(hit_each(Fault::CrashAfter), all_writes()); }

}  // namespace
}  // namespace capstan::bootstrap
