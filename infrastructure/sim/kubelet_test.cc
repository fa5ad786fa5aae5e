#include "infrastructure/sim/kubelet.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <functional>
#include <numeric>

#include "api/core/lease.h"
#include "api/core/node.h"
#include "api/driver/names.h"
#include "kube/typed.h"
#include "test/fakes/baton.h"
#include "test/fakes/memory_control_planes.h"

namespace capstan::infrastructure::sim {
namespace {

using namespace std::chrono_literals;
using fakes::Baton;
using kube::ObjectKey;

const ObjectKey kCluster{.namespace_ = "default", .name = "c1"};
constexpr int kHundred = 100;

CreateVm wish(const std::string& name) {
  return {.instance_key = "key-of-" + name,
          .name = name,
          .tags = {{std::string(api::driver::tag::kCluster), "c1"},
                   {std::string(api::driver::tag::kNamespace), "default"}},
          .kubernetes_version = "v1.35.0"};
}

struct KubeletFixture {
  Baton baton{{.seed = 1}};
  fakes::MemoryControlPlanes planes{baton, baton, 1};
  SimCloud cloud;
  Kubelets kubelets{{.clock = baton, .threads = baton, .cloud = cloud, .control_planes = planes}, 1};

  explicit KubeletFixture(Script script = {})
      : cloud({.clock = baton, .threads = baton}, std::move(script)) {}

  void run(const std::function<void()>& story) {
    const auto report = baton.run([&] {
      kubelets.start();
      story();
      kubelets.stop();
    });
    EXPECT_TRUE(report.finished()) << report.why;
  }
  void create(const std::string& name) { EXPECT_TRUE(cloud.create(wish(name), {}, Deadline::never())); }
  std::optional<api::Node> node(const std::string& name) {
    const auto found =
        kube::get<api::Node>(*planes.client(kCluster), ObjectKey{.name = name}, Deadline::never());
    return found ? std::optional(*found) : std::nullopt;
  }
  std::optional<api::Lease> lease(const std::string& name) {
    const auto found = kube::get<api::Lease>(
        *planes.client(kCluster), {.namespace_ = "kube-node-lease", .name = name}, Deadline::never());
    return found ? std::optional(*found) : std::nullopt;
  }
  void sleep(Nanoseconds span) { baton.pause(Deadline::in(baton, span)); }

  // Of the Nodes of a hundred VMs, vm-0 and so on.
  std::vector<api::ResourceVersion> versions() {
    std::vector<api::ResourceVersion> all;
    for (int i = 0; i < kHundred; ++i)
      all.push_back(node("vm-" + std::to_string(i)).value().metadata.resource_version);
    return all;
  }
  // How many of those are written in that time.
  int written_within(Nanoseconds span) {
    const auto before = versions();
    sleep(span);
    const auto after = versions();
    return std::inner_product(before.begin(), before.end(), after.begin(), 0, std::plus<>(),
                              std::not_equal_to<>());
  }
};

TEST(Kubelets, RegisterWhenTheVmHasBootedAndBecomeReadyLater) {
  Script script;
  script.register_after = 20s;
  script.ready_after = 5s;
  KubeletFixture stage(script);
  stage.run([&] {
    (void)stage.planes.ensure(kCluster, Deadline::never());
    stage.create("a");
    stage.sleep(19s);
    EXPECT_FALSE(stage.node("a"));
    stage.sleep(2s);
    ASSERT_TRUE(stage.node("a"));
    EXPECT_EQ(stage.node("a")->condition("Ready")->status, "False");

    stage.sleep(5s);

    EXPECT_EQ(stage.node("a")->condition("Ready")->status, "True");
  });
}

TEST(Kubelets, BootAsLongAsTheWorldSays) {
  KubeletFixture stage;
  stage.run([&] {
    ASSERT_TRUE(stage.planes.ensure(kCluster, Deadline::never()));
    stage.cloud.boot_for(60s);
    stage.create("a");
    stage.cloud.boot_for({});
    stage.create("b");

    stage.sleep(50s);
    EXPECT_FALSE(stage.node("a"));
    EXPECT_TRUE(stage.node("b"));
    stage.sleep(20s);
    EXPECT_TRUE(stage.node("a"));
  });
}

TEST(Kubelets, BootLongerByAsMuchAsTheJitterOfTheirVm) {
  Script script;
  script.register_after = 20s;
  script.boot_jitter_percent = 50;
  script.latency.create = {};
  KubeletFixture stage(script);
  stage.run([&] {
    ASSERT_TRUE(stage.planes.ensure(kCluster, Deadline::never()));
    for (int i = 0; i < 20; ++i) stage.create("vm-" + std::to_string(i));
    const auto there = [&] {
      int nodes = 0;
      for (int i = 0; i < 20; ++i) nodes += stage.node("vm-" + std::to_string(i)) ? 1 : 0;
      return nodes;
    };

    stage.sleep(19s);
    EXPECT_EQ(there(), 0);
    stage.sleep(6s);
    EXPECT_GT(there(), 0);
    EXPECT_LT(there(), 20);
    stage.sleep(6s);
    EXPECT_EQ(there(), 20);
  });
}

TEST(Kubelets, WaitForTheirApiServer) {
  KubeletFixture stage;
  stage.run([&] {
    stage.create("a");
    stage.sleep(1min);

    (void)stage.planes.ensure(kCluster, Deadline::never());
    stage.sleep(2s);

    EXPECT_TRUE(stage.node("a"));
  });
}

TEST(Kubelets, BeatEveryTenSeconds) {
  KubeletFixture stage;
  stage.run([&] {
    (void)stage.planes.ensure(kCluster, Deadline::never());
    stage.create("a");
    stage.sleep(15s);
    const auto first = stage.lease("a");
    ASSERT_TRUE(first);

    stage.sleep(10s);

    EXPECT_EQ(stage.lease("a")->spec.renew_time.unix_micros() - first->spec.renew_time.unix_micros(),
              10'000'000);
    EXPECT_EQ(stage.lease("a")->spec.holder_identity, "a");
  });
}

// With Leases that are renewed in between, and without.
TEST(Kubelets, ThatWereMadeTogetherReportTheirStatusOneAfterTheOtherFromTheFirstPeriodOn) {
  for (const Nanoseconds lease : {Nanoseconds(0s), Nanoseconds(10s)}) {
    Script script;
    script.latency.create = 0s;
    script.lease_every = lease;
    script.status_every = 5min;
    KubeletFixture stage(script);
    stage.run([&] {
      (void)stage.planes.ensure(kCluster, Deadline::never());
      for (int i = 0; i < kHundred; ++i) stage.create("vm-" + std::to_string(i));
      stage.sleep(3s);

      int reports = 0;
      for (int minute = 1; minute <= 5; ++minute) {
        const int in_this_minute = stage.written_within(60s);
        EXPECT_GT(in_this_minute, 7) << "minute " << minute;
        EXPECT_LT(in_this_minute, 33) << "minute " << minute;
        reports += in_this_minute;
      }
      EXPECT_EQ(reports, kHundred) << "each once in a period";
    });
  }
}

TEST(Kubelets, OfVmsThatNeverJoinRegisterNoNode) {
  Script script;
  script.lease_every = 0s;
  script.faults = {{.never_joins = true, .vms = "a"}};
  KubeletFixture stage(script);
  stage.run([&] {
    (void)stage.planes.ensure(kCluster, Deadline::never());
    stage.create("a");
    stage.create("b");

    stage.sleep(24h);
    EXPECT_FALSE(stage.node("a"));
    EXPECT_TRUE(stage.node("b"));
    EXPECT_EQ(stage.cloud.vms().size(), 2U) << "the VM is there all the same";

    stage.cloud.end_faults();
    stage.create("another-a");
    stage.sleep(1min);
    EXPECT_TRUE(stage.node("another-a"));
    EXPECT_FALSE(stage.node("a")) << "it was made from the image that never joins";
  });
}

TEST(Kubelets, FallSilentWithTheirVmAndTheNodeIsGivenUp) {
  KubeletFixture stage;
  stage.run([&] {
    (void)stage.planes.ensure(kCluster, Deadline::never());
    stage.create("a");
    stage.create("b");
    stage.sleep(30s);

    stage.cloud.vanish("a");
    stage.sleep(39s);
    EXPECT_EQ(stage.node("a")->condition("Ready")->status, "True") << "nobody knows yet";
    stage.sleep(2s);

    EXPECT_EQ(stage.node("a")->condition("Ready")->status, "Unknown");
    EXPECT_EQ(stage.node("a")->condition("Ready")->reason, "NodeStatusUnknown");
    EXPECT_EQ(stage.node("b")->condition("Ready")->status, "True");
    EXPECT_EQ(stage.kubelets.count(), 1U);
  });
}

// For longer and for shorter than the grace.
TEST(Kubelets, AreHeardAgainWhenTheirFailureDomainIsBack) {
  for (const Nanoseconds span : {Nanoseconds(2min), Nanoseconds(20s)}) {
    Script script;
    script.faults = {{.domain = "a", .returns = true, .after = 60s, .lasts = span}};
    KubeletFixture stage(script);
    stage.run([&] {
      (void)stage.planes.ensure(kCluster, Deadline::never());
      CreateVm wanted = wish("a");
      wanted.failure_domain = "a";
      EXPECT_TRUE(stage.cloud.create(wanted, {}, Deadline::never()));
      stage.sleep(60s + span - 1s);
      EXPECT_EQ(stage.node("a")->condition("Ready")->status, span > 40s ? "Unknown" : "True");
      stage.sleep(2s);

      EXPECT_EQ(stage.node("a")->condition("Ready")->status, "True");
      EXPECT_EQ(stage.node("a")->condition("DiskPressure")->status, "False");
      stage.sleep(1min);
      EXPECT_EQ(stage.node("a")->condition("Ready")->status, "True") << "and stays so";
      EXPECT_EQ(stage.kubelets.count(), 1U);
    });
  }
}

TEST(Kubelets, LeaveTheNodeOfARemovedVmToWhoeverOwnsIt) {
  KubeletFixture stage;
  stage.run([&] {
    (void)stage.planes.ensure(kCluster, Deadline::never());
    stage.create("a");
    stage.sleep(30s);
    const auto before = stage.node("a");

    EXPECT_TRUE(stage.cloud.remove({.instance_key = "key-of-a"}, {}, Deadline::never()));
    stage.sleep(2min);

    EXPECT_EQ(stage.kubelets.count(), 0U);
    EXPECT_EQ(stage.node("a")->metadata.resource_version, before->metadata.resource_version);
  });
}

TEST(Kubelets, ReportTheirStatusAlsoWhereNoLeasesAreRenewed) {
  Script script;
  script.lease_every = 0s;
  script.status_every = 5min;
  KubeletFixture stage(script);
  stage.run([&] {
    (void)stage.planes.ensure(kCluster, Deadline::never());
    stage.create("a");
    stage.sleep(5s);
    const auto born = stage.node("a");
    ASSERT_TRUE(born);

    stage.sleep(11min);

    EXPECT_NE(stage.node("a")->metadata.resource_version, born->metadata.resource_version);
    EXPECT_FALSE(stage.lease("a"));
  });
}

TEST(Kubelets, NoticeAVmThatTheScriptLetsVanish) {
  Script script;
  script.faults = {{.vanish = 1min}};
  KubeletFixture stage(script);
  stage.run([&] {
    (void)stage.planes.ensure(kCluster, Deadline::never());
    stage.create("a");

    stage.sleep(2min);

    EXPECT_EQ(stage.node("a")->condition("Ready")->status, "Unknown");
    EXPECT_TRUE(stage.cloud.vms().empty());
  });
}

TEST(Kubelets, DoNotGiveUpTheNodeOfAVmThatTookTheName) {
  KubeletFixture stage;
  stage.run([&] {
    (void)stage.planes.ensure(kCluster, Deadline::never());
    stage.create("a");
    stage.sleep(5s);
    ASSERT_TRUE(stage.node("a"));

    stage.cloud.vanish("a");
    stage.create("a");
    (void)kube::remove<api::Node>(*stage.planes.client(kCluster), ObjectKey{.name = "a"}, {},
                                  Deadline::never());
    stage.sleep(2min);

    EXPECT_EQ(stage.node("a")->condition("Ready")->status, "True");
  });
}

TEST(Kubelets, ManyCostNoThreads) {
  Script script;
  script.latency.create = 0s;
  script.lease_every = 0s;
  KubeletFixture stage(script);
  constexpr int kMany = 2000;
  stage.run([&] {
    (void)stage.planes.ensure(kCluster, Deadline::never());
    for (int i = 0; i < kMany; ++i) stage.create("vm-" + std::to_string(i));

    stage.sleep(1min);

    EXPECT_TRUE(stage.node("vm-0"));
    EXPECT_TRUE(stage.node("vm-" + std::to_string(kMany - 1)));
    EXPECT_EQ(stage.kubelets.count(), static_cast<std::size_t>(kMany));
  });
}

}  // namespace
}  // namespace capstan::infrastructure::sim
