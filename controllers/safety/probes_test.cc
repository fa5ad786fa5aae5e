#include "controllers/safety/probes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/conditions/conditions.h"
#include "api/names.h"
#include "api/policy/names.h"
#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::safety {
namespace {

using api::policy::annotation::kReleased;
using builders::a_machine_deployment;
using builders::a_machine_set;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::string_view kRecord = "1 since 2026-01-01T12:00:00Z: lost";

template <typename T>
T an_object(std::string_view name, std::string_view frozen) {
  T object;
  object.metadata = builders::metadata_of(api::resource<T>.kind, name);
  object.status.conditions = {api::conditions::make(api::policy::condition::kFrozen, frozen,
                                                    api::policy::reason::kFrozenByAnnotation)};
  return object;
}

template <typename T>
void put_frozen(runtime::Store<T>& store, int number) {
  for (int at = 0; at < number; ++at)
    store.apply(an_object<T>(fmt::format("frozen-{}", at), api::status::kTrue));
}

TEST(Probes, CountWhatIsFrozenByKind) {
  Caches caches;
  Metrics metrics;
  const Probes probes(&metrics);
  put_frozen(caches.clusters, 1);
  put_frozen(caches.machine_deployments, 2);
  put_frozen(caches.machine_sets, 3);
  put_frozen(caches.machine_pools, 4);
  caches.machine_sets.apply(an_object<api::MachineSet>("thawed", api::status::kFalse));
  caches.machine_pools.apply(an_object<api::MachinePool>("thawed", api::status::kFalse));

  probes.refresh(caches);

  EXPECT_THAT(metrics.text(), AllOf(HasSubstr(R"(capstan_frozen{kind="Cluster"} 1)"),
                                    HasSubstr(R"(capstan_frozen{kind="MachineDeployment"} 2)"),
                                    HasSubstr(R"(capstan_frozen{kind="MachineSet"} 3)"),
                                    HasSubstr(R"(capstan_frozen{kind="MachinePool"} 4)")));
}

TEST(Probes, CountWhatHasARecordOfReleasedOnesByKind) {
  Caches caches;
  Metrics metrics;
  const Probes probes(&metrics);
  caches.machine_deployments.apply(a_machine_deployment("md1").annotated(kReleased, kRecord).build());
  caches.machine_sets.apply(a_machine_set("ms1").annotated(kReleased, kRecord).build());
  caches.machine_sets.apply(a_machine_set("ms2").annotated(kReleased, kRecord).build());
  caches.machine_sets.apply(a_machine_set("ms3").build());

  probes.refresh(caches);

  EXPECT_THAT(metrics.text(), AllOf(HasSubstr(R"(capstan_released{kind="MachineDeployment"} 1)"),
                                    HasSubstr(R"(capstan_released{kind="MachineSet"} 2)")));
}

TEST(Probes, CountNothingOnceItIsOver) {
  Caches caches;
  Metrics metrics;
  const Probes probes(&metrics);
  put_frozen(caches.clusters, 1);
  caches.machine_sets.apply(a_machine_set("ms1").annotated(kReleased, kRecord).build());
  probes.refresh(caches);

  auto thawed = an_object<api::Cluster>("frozen-0", api::status::kFalse);
  thawed.metadata.resource_version = api::ResourceVersion(2);
  caches.clusters.apply(std::move(thawed));
  caches.machine_sets.apply(a_machine_set("ms1").version_number(2).build());
  probes.refresh(caches);

  EXPECT_THAT(metrics.text(), AllOf(HasSubstr(R"(capstan_frozen{kind="Cluster"} 0)"),
                                    HasSubstr(R"(capstan_released{kind="MachineSet"} 0)")));
}

}  // namespace
}  // namespace capstan::controllers::safety
