#include "infrastructure/sim/cloud.h"

#include <gmock/gmock.h>

#include "api/driver/names.h"
#include "test/fakes/baton.h"

namespace capstan::infrastructure::sim {
namespace {

using namespace std::chrono_literals;
using fakes::Baton;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

CreateVm wish(const std::string& name, const std::string& key = {}) {
  return {.instance_key = key.empty() ? "key-of-" + name : key,
          .name = name,
          .tags = {{std::string(api::driver::tag::kCluster), "c1"},
                   {std::string(api::driver::tag::kNamespace), "default"},
                   {std::string(api::driver::tag::kName), name}}};
}

struct CloudFixture {
  Baton baton{{.seed = 1}};
  SimCloud cloud;
  Deadline never = Deadline::never();

  explicit CloudFixture(Script script = {}) : cloud({.clock = baton, .threads = baton}, std::move(script)) {}

  void run(const std::function<void()>& story) {
    const auto report = baton.run(story);
    EXPECT_TRUE(report.finished()) << report.why;
  }
  DriverResult<Vm> create(const CreateVm& wanted) { return cloud.create(wanted, {}, never); }
  DriverCode code_of(const CreateVm& wanted) {
    const auto made = create(wanted);
    return made ? DriverCode::Canceled : made.error().code;
  }
  void sleep(Nanoseconds span) { baton.pause(Deadline::in(baton, span)); }
};

TEST(SimCloud, AnswersTheSameVmForTheSameKey) {
  CloudFixture stage;
  stage.run([&] {
    const auto first = stage.create(wish("a"));
    const auto again = stage.create(wish("a"));

    EXPECT_EQ(first->provider_id, again->provider_id);
    EXPECT_THAT(stage.cloud.vms(), SizeIs(1));
  });
}

TEST(SimCloud, GivesANewVmOfAnOldKeyANewName) {
  CloudFixture stage;
  stage.run([&] {
    const auto first = stage.create(wish("a"));
    stage.cloud.vanish("a");
    const auto second = stage.create(wish("a"));

    EXPECT_NE(first->provider_id, second->provider_id);
  });
}

TEST(SimCloud, HasAccountsThatCredentialsLeadTo) {
  CloudFixture stage;
  stage.run([&] {
    Credentials other;
    other.values.emplace("account", Secret<std::string>("other"));
    const auto ours = stage.create(wish("a"));
    const auto theirs = stage.cloud.create(wish("a"), other, stage.never);

    EXPECT_NE(ours->provider_id, theirs->provider_id) << "a key is unique in its account";
    EXPECT_EQ(stage.cloud.status({.provider_id = ours->provider_id}, other, stage.never).error().code,
              DriverCode::NotFound);
    EXPECT_THAT(*stage.cloud.list({}, other, stage.never), SizeIs(1));
    EXPECT_EQ(stage.cloud.identity(other, stage.never)->account, "other");
    EXPECT_EQ(stage.cloud.identity({}, stage.never)->account, "simulated");
  });
}

TEST(SimCloud, ListsOnlyAPartOrAnOlderStateWhenAFaultSaysSo) {
  CloudFixture stage;
  stage.run([&] {
    for (const auto* name : {"a", "b", "c", "d", "e", "f"}) stage.create(wish(name));
    stage.cloud.add_fault({.verb = SimVerb::List, .missing_percent = 50, .lasts = 10s});
    const std::size_t partial = stage.cloud.list({}, {}, stage.never)->size();
    stage.sleep(10s);
    stage.cloud.add_fault({.verb = SimVerb::List, .late = 60s});
    const std::size_t late = stage.cloud.list({}, {}, stage.never)->size();
    stage.cloud.end_faults();

    EXPECT_GT(partial, 0U);
    EXPECT_LT(partial, 6U);
    EXPECT_EQ(late, 0U) << "a minute ago there were none";
    EXPECT_THAT(*stage.cloud.list({}, {}, stage.never), SizeIs(6));
  });
}

TEST(SimCloud, BeginsWhatIsAddedAndEndsWhatIsTakenOffWhileItRuns) {
  const FaultRule refuses{.verb = SimVerb::Create, .code = DriverCode::Internal};
  const FaultRule once{.verb = SimVerb::Status, .code = DriverCode::Unavailable, .total = 1};
  CloudFixture stage;
  stage.run([&] {
    const auto vm = stage.create(wish("a"));
    const auto status = [&] { return stage.cloud.status({.provider_id = vm->provider_id}, {}, stage.never); };
    stage.cloud.follow_faults({once});
    const bool hit = !status();
    stage.cloud.follow_faults({once, refuses});

    EXPECT_TRUE(hit);
    EXPECT_TRUE(status()) << "what was there goes on where it was";
    EXPECT_EQ(stage.code_of(wish("b")), DriverCode::Internal);
    stage.cloud.follow_faults({});
    EXPECT_TRUE(stage.create(wish("b")));
  });
}

TEST(SimCloud, LosesAFailureDomainAtItsTime) {
  Script script;
  script.faults = {{.domain = "a", .after = 60s, .lasts = 60s}};
  CloudFixture stage(script);
  stage.run([&] {
    CreateVm wanted = wish("a");
    wanted.failure_domain = "a";
    stage.create(wanted);
    stage.create(wish("b"));
    stage.sleep(60s);
    stage.cloud.expire();

    EXPECT_THAT(stage.cloud.vms(), SizeIs(1));
    EXPECT_EQ(stage.code_of(wanted), DriverCode::Unavailable);
    stage.sleep(60s);
    EXPECT_TRUE(stage.create(wanted)) << "it is back";
  });
}

TEST(SimCloud, KeepsTheVmsOfAFailureDomainThatReturns) {
  Script script;
  script.faults = {{.domain = "a", .returns = true, .after = 60s, .lasts = 60s}};
  CloudFixture stage(script);
  stage.run([&] {
    CreateVm wanted = wish("a");
    wanted.failure_domain = "a";
    stage.create(wanted);
    stage.sleep(60s);
    stage.cloud.expire();
    CreateVm another = wish("b");
    another.failure_domain = "a";

    EXPECT_THAT(stage.cloud.vms(), SizeIs(1));
    EXPECT_EQ(stage.code_of(another), DriverCode::Unavailable);
    stage.sleep(60s);
    EXPECT_TRUE(stage.create(another)) << "it is back";
  });
}

TEST(SimCloud, SaysWhichApiServersAreAway) {
  Script script;
  script.faults = {{.api = "demo-*", .lasts = 60s}};
  CloudFixture stage(script);
  stage.run([&] {
    EXPECT_TRUE(stage.cloud.api_is_away("demo-1"));
    EXPECT_FALSE(stage.cloud.api_is_away("other"));
    stage.sleep(60s);
    EXPECT_FALSE(stage.cloud.api_is_away("demo-1")) << "it is back";
  });
}

TEST(SimCloud, RefusesToChooseBetweenTwoVmsOfAKey) {
  CloudFixture stage;
  stage.run([&] {
    const auto first = stage.create(wish("a"));
    stage.cloud.duplicate("a");

    EXPECT_EQ(stage.cloud.status({.instance_key = "key-of-a"}, {}, stage.never).error().code,
              DriverCode::OutOfRange);
    EXPECT_TRUE(stage.cloud.status({.provider_id = first->provider_id}, {}, stage.never));
  });
}

TEST(SimCloud, FindsAVmByProviderIdAndByKey) {
  CloudFixture stage;
  stage.run([&] {
    const auto made = stage.create(wish("a"));

    EXPECT_TRUE(stage.cloud.status({.provider_id = made->provider_id}, {}, stage.never));
    EXPECT_TRUE(stage.cloud.status({.instance_key = "key-of-a"}, {}, stage.never));
    EXPECT_EQ(stage.cloud.status({.provider_id = "sim:///other", .instance_key = "key-of-a"}, {}, stage.never)
                  .error()
                  .code,
              DriverCode::NotFound)
        << "the provider ID wins";
  });
}

TEST(SimCloud, TakesItsTimeAndGivesUpAtTheDeadline) {
  Script script;
  script.latency.create = 4s;
  CloudFixture stage(script);
  stage.run([&] {
    const SteadyTime before = stage.baton.steady_now();
    EXPECT_TRUE(stage.create(wish("a")));
    EXPECT_EQ(stage.baton.steady_now() - before, 4s);

    const auto late = stage.cloud.create(wish("b"), {}, Deadline::in(stage.baton, 3s));

    EXPECT_EQ(late.error().code, DriverCode::DeadlineExceeded);
    EXPECT_THAT(stage.cloud.vms(), SizeIs(2)) << "after half of the time it had happened";
  });
}

TEST(SimCloud, KeepsItsQuotas) {
  Script script;
  script.quota = {.vms = 2, .classes = {{"big", 1}}};
  CloudFixture stage(script);
  stage.run([&] {
    CreateVm big = wish("a");
    big.vm_class = "big";
    CreateVm other = wish("b");
    other.vm_class = "big";

    EXPECT_TRUE(stage.create(big));
    EXPECT_EQ(stage.code_of(other), DriverCode::ResourceExhausted);
    EXPECT_TRUE(stage.create(wish("c")));
    EXPECT_EQ(stage.code_of(wish("d")), DriverCode::ResourceExhausted);
    EXPECT_TRUE(stage.cloud.remove({.instance_key = "key-of-a"}, {}, stage.never));
    EXPECT_TRUE(stage.create(other)) << "room again";
  });
}

TEST(SimCloud, IsFullForAWhile) {
  CloudFixture stage;
  stage.run([&] {
    EXPECT_TRUE(stage.create(wish("a")));
    stage.cloud.make_room(1);

    EXPECT_EQ(stage.code_of(wish("b")), DriverCode::ResourceExhausted);
    EXPECT_TRUE(stage.create(wish("a"))) << "which is there already";
    EXPECT_THAT(stage.cloud.refused(), ElementsAre("b"));

    stage.cloud.make_room({});
    EXPECT_TRUE(stage.create(wish("b")));
  });
}

TEST(SimCloud, FailsAsTheScriptSays) {
  Script script;
  script.faults = {
      {.verb = SimVerb::Create, .code = DriverCode::Internal, .vms = "b*", .skip = 1, .times = 1}};
  CloudFixture stage(script);
  stage.run([&] {
    EXPECT_TRUE(stage.create(wish("a")));
    EXPECT_TRUE(stage.create(wish("b"))) << "skipped once";
    EXPECT_EQ(stage.code_of(wish("b")), DriverCode::Internal);
    EXPECT_TRUE(stage.create(wish("b"))) << "not more than once";
    EXPECT_THAT(stage.cloud.hits(), ElementsAre(1));
  });
}

TEST(SimCloud, LosesOnlyTheAnswerWhenTheScriptSaysThatItHappened) {
  Script script;
  script.faults = {{.verb = SimVerb::Create, .code = DriverCode::Unknown, .happened = true}};
  CloudFixture stage(script);
  stage.run([&] {
    EXPECT_EQ(stage.code_of(wish("a")), DriverCode::Unknown);

    EXPECT_THAT(stage.cloud.vms(), SizeIs(1));
  });
}

TEST(SimCloud, ChoosesTheSameVictimsForTheSameSeed) {
  const auto victims = [](std::uint64_t seed) {
    Script script;
    script.seed = seed;
    script.faults = {{.verb = SimVerb::Create, .code = DriverCode::Internal, .percent = 50}};
    CloudFixture stage(script);
    std::string outcome;
    stage.run([&] {
      for (int i = 0; i < 40; ++i) outcome += stage.create(wish("vm-" + std::to_string(i))) ? '.' : 'x';
    });
    return outcome;
  };

  EXPECT_EQ(victims(3), victims(3));
  EXPECT_NE(victims(3), victims(4));
  EXPECT_THAT(std::ranges::count(victims(3), 'x'), testing::AllOf(testing::Gt(8), testing::Lt(32)));
}

TEST(SimCloud, LetsVmsVanishAndForgetsThem) {
  Script script;
  script.faults = {{.vanish = 2min, .vms = "a"}};
  CloudFixture stage(script);
  stage.run([&] {
    stage.create(wish("a"));
    stage.create(wish("b"));
    stage.sleep(119s);
    EXPECT_TRUE(stage.cloud.status({.instance_key = "key-of-a"}, {}, stage.never));

    stage.sleep(2s);

    EXPECT_FALSE(stage.cloud.status({.instance_key = "key-of-a"}, {}, stage.never));
    EXPECT_TRUE(stage.cloud.status({.instance_key = "key-of-b"}, {}, stage.never));
  });
}

TEST(SimCloud, ListsWhatWasTrueAWhileAgo) {
  Script script;
  script.latency = {.create = 0s, .remove = 0s, .status = 0s, .list = 0s};
  script.list_lag = 3s;
  CloudFixture stage(script);
  stage.run([&] {
    const auto names = [&] {
      std::vector<std::string> found;
      const auto listed = stage.cloud.list({}, {}, stage.never);
      for (const Vm& vm : *listed) found.push_back(vm.name);
      return found;
    };
    stage.create(wish("a"));
    EXPECT_THAT(names(), IsEmpty());
    stage.sleep(3s);
    EXPECT_THAT(names(), ElementsAre("a"));
    EXPECT_TRUE(stage.cloud.remove({.instance_key = "key-of-a"}, {}, stage.never));
    EXPECT_THAT(names(), ElementsAre("a")) << "gone, and still listed";
    stage.sleep(3s);
    EXPECT_THAT(names(), IsEmpty());
  });
}

TEST(SimCloud, ListsByTagsAndChangesThem) {
  CloudFixture stage;
  stage.run([&] {
    const auto made = stage.create(wish("a"));
    stage.create(wish("b"));
    EXPECT_TRUE(stage.cloud.tag({.provider_id = made->provider_id}, {{"seen", "now"}}, {}, stage.never));
    EXPECT_THAT(*stage.cloud.list({{"seen", "now"}}, {}, stage.never), SizeIs(1));

    EXPECT_TRUE(stage.cloud.tag({.provider_id = made->provider_id}, {{"seen", ""}}, {}, stage.never));

    EXPECT_THAT(*stage.cloud.list({{"seen", "now"}}, {}, stage.never), IsEmpty());
    EXPECT_THAT(*stage.cloud.list({{"capstan.dev/cluster", "c1"}}, {}, stage.never), SizeIs(2));
  });
}

TEST(SimCloud, KeepsPersistentDisksForTheNextVmAndForOneAtATime) {
  CloudFixture stage;
  stage.run([&] {
    const auto with_disk = [](const std::string& name) {
      CreateVm wanted = wish(name);
      wanted.provider_spec = R"({"disks":[{"name":"data","persistent":true},{"name":"scratch"}]})";
      return wanted;
    };
    EXPECT_TRUE(stage.create(with_disk("a")));
    EXPECT_EQ(stage.code_of(with_disk("b")), DriverCode::FailedPrecondition);
    const std::string disk = stage.cloud.disks().begin()->second.id;

    EXPECT_TRUE(stage.cloud.remove({.instance_key = "key-of-a"}, {}, stage.never));
    EXPECT_TRUE(stage.create(with_disk("b")));

    EXPECT_THAT(stage.cloud.disks(), SizeIs(1)) << "the scratch disk went with its VM";
    EXPECT_EQ(stage.cloud.disks().begin()->second.id, disk);
    EXPECT_EQ(stage.cloud.disks().begin()->second.attached_to, "b");
  });
}

TEST(SimCloud, KnowsItsOwnVolumes) {
  CloudFixture stage;
  stage.run([&] {
    const std::vector<std::string> specs = {R"({"csi":{"driver":"sim.capstan.dev","volumeHandle":"disk-1"}})",
                                            R"({"csi":{"driver":"ebs.csi.aws.com","volumeHandle":"vol-1"}})",
                                            R"({"hostPath":{"path":"/x"}})"};

    EXPECT_THAT(*stage.cloud.volume_ids(specs, stage.never), ElementsAre("disk-1"));
    EXPECT_EQ(stage.cloud.identity({}, stage.never)->driver, "sim");
  });
}

}  // namespace
}  // namespace capstan::infrastructure::sim
