#include "cmd/program/diagnostics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>

#include "test/fakes/baton.h"
#include "test/fakes/collecting_sink.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/scripted_client.h"

namespace capstan::program {
namespace {

namespace json = boost::json;
using runtime::Outcome;
using namespace std::chrono_literals;

// A cache that is always one version behind.
struct LateCache final : runtime::Observed {
  std::string_view kind() const override { return "Machine"; }
  bool synced() const override { return true; }
  api::ResourceVersion version() const override { return api::ResourceVersion(41); }
  std::uint64_t epoch() const override { return 0; }
  std::optional<runtime::ObservedObject> look(const runtime::ObjectKey&) const override {
    return std::nullopt;
  }
  std::optional<runtime::Unreadable> unreadable(const runtime::ObjectKey&) const override {
    return std::nullopt;
  }
  std::vector<runtime::Unreadable> unreadable_in(std::string_view) const override { return {}; }
  std::size_t size() const override { return 7; }
  std::vector<runtime::ObjectKey> slice(std::size_t, std::size_t) const override { return {}; }
};

runtime::ObjectKey key(std::string name) { return {.namespace_ = "fleet", .name = std::move(name)}; }

// "busy" takes a minute, "broken" fails, all other keys are done at once.
struct Mixed final : runtime::Reconciler {
  fakes::Baton& baton;
  explicit Mixed(fakes::Baton& time) : baton(time) {}
  Result<Outcome> reconcile(const runtime::Context& context, const runtime::ObjectKey& k) override {
    if (k.name == "busy") baton.pause(context.deadline);
    if (k.name == "broken") return fail(Code::Unavailable, "nobody is listening");
    return Outcome::done();
  }
};

const json::value* row(const json::value& rows, std::string_view key) {
  for (const json::value& one : rows.as_array())
    if (one.at("key").as_string() == key) return &one;
  return nullptr;
}

// What an operator sees of one controller three seconds into its day.
class ControllersPage : public testing::Test {
 protected:
  json::value page_with(const std::function<void(runtime::Controller&)>& before) {
    fakes::Baton baton({});
    SeededRandomness randomness(1);
    fakes::ScriptedClient client;
    Mixed reconciler(baton);
    json::value page;
    const auto report = baton.run([&] {
      runtime::Controller controller(
          {.clock = baton, .threads = baton, .client = client, .randomness = randomness},
          {.name = "machine", .kind = "Machine", .queue = {.backoff = {.initial = 1h, .cap = 1h}}},
          reconciler);
      before(controller);
      controller.start();
      baton.pause(Deadline::in(baton, 3s));
      page = controllers_page({&controller});
      controller.stop();
    });
    EXPECT_TRUE(report.finished()) << report.why;
    return page;
  }
  LateCache cache;
};

TEST_F(ControllersPage, TellsWhatEachWorkerDoesAndForHowLong) {
  const json::value page = page_with([](auto& controller) { controller.queue().add(key("busy")); });

  const json::value& machine = page.at("machine");
  EXPECT_GE(machine.at("workers").to_number<int>(), 1);
  ASSERT_EQ(machine.at("turns").as_array().size(), 1U) << page;
  EXPECT_EQ(machine.at("turns").at(0).at("key"), "fleet/busy");
  EXPECT_EQ(machine.at("turns").at(0).at("seconds"), 3.0);
  EXPECT_FALSE(machine.at("turns").at(0).at("reconcileID").as_string().empty());
}

TEST_F(ControllersPage, TellsOfEachKeyWhereItStandsAndHowOftenItFailed) {
  const json::value page = page_with([](auto& controller) {
    for (const char* name : {"busy", "broken", "done"}) controller.queue().add(key(name));
  });

  const json::value& keys = page.at("machine").at("keys");
  const json::value* busy = row(keys, "fleet/busy");
  const json::value* broken = row(keys, "fleet/broken");
  ASSERT_TRUE(busy && broken) << page;
  EXPECT_EQ(busy->at("state"), "running");
  EXPECT_EQ(broken->at("state"), "waiting");
  EXPECT_EQ(broken->at("failures"), 1);
  EXPECT_FALSE(row(keys, "fleet/done")) << "nobody waits for it";
}

TEST_F(ControllersPage, TellsWhatTheConsistencyGateWaitsFor) {
  const json::value page = page_with([&](auto& controller) {
    controller.consistency().wrote(key("written"), cache, api::ResourceVersion(42));
  });

  const json::value& gate = page.at("machine").at("gate");
  ASSERT_EQ(gate.as_array().size(), 1U) << page;
  EXPECT_EQ(gate.at(0).at("key"), "fleet/written");
  EXPECT_EQ(gate.at(0).at("waitsFor"), "Machine: version 42 is not in the cache yet, for 3s (cache at 41)");
}

struct StuckInformer final : runtime::InformerState {
  LateCache late;
  const runtime::Observed& cache() const override { return late; }
  kube::WatchProgress progress() const override {
    return {.version = "41", .trouble = Error{.code = Code::Unavailable, .message = "connection refused"}};
  }
  std::vector<kube::Quarantine> quarantined() const override {
    return {{.key = key("odd"), .error = Error{.code = Code::Invalid, .message = "spec: not an object"}}};
  }
  void refresh_metrics() override {}
};

TEST(CachesPage, NamesTheTroubleOfAWatchAndEachObjectThatCouldNotBeRead) {
  StuckInformer informer;

  const json::value page = caches_page({&informer});

  const json::value& machines = page.at("Machine");
  EXPECT_EQ(machines.at("objects"), 7);
  EXPECT_EQ(machines.at("version"), "41");
  EXPECT_THAT(std::string(machines.at("trouble").as_string()), testing::HasSubstr("connection refused"));
  ASSERT_EQ(machines.at("quarantine").as_array().size(), 1U);
  EXPECT_EQ(machines.at("quarantine").at(0).at("key"), "fleet/odd");
  EXPECT_THAT(std::string(machines.at("quarantine").at(0).at("why").as_string()),
              testing::HasSubstr("spec: not an object"));
}

TEST(VerbositySetting, ChangesWhatIsLoggedAndSaysSoInUpstreamsWords) {
  fakes::CollectingSink lines;
  const fakes::FakeClock clock;
  const Log log(lines, clock);
  const auto setting = verbosity_setting(log);

  const auto louder = setting.put("4\n");
  log.debug("louder");
  const auto silent = setting.put("0");
  log.info("hidden");

  ASSERT_TRUE(louder && silent);
  EXPECT_EQ(setting.name, "flags/v");
  EXPECT_EQ(*louder, "successfully set klog.logging.verbosity to 4");
  EXPECT_EQ(lines.count("louder"), 1U);
  EXPECT_EQ(lines.count("hidden"), 0U);
}

TEST(VerbositySetting, RefusesWhatIsNoNumberAndChangesNothing) {
  fakes::CollectingSink lines;
  const fakes::FakeClock clock;
  const Log log(lines, clock);

  for (const char* body : {"", "loud", "-1", "4x", "4.5"})
    EXPECT_FALSE(verbosity_setting(log).put(body)) << body;

  EXPECT_FALSE(log.enabled(Level::Debug));
  EXPECT_TRUE(log.enabled(Level::Info));
}

}  // namespace
}  // namespace capstan::program
