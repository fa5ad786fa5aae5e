#include "infrastructure/probes.h"

#include <gmock/gmock.h>

#include "api/conditions/conditions.h"
#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/driver/names.h"
#include "api/names.h"

namespace capstan::infrastructure {
namespace {

using testing::HasSubstr;

api::DriverMachine not_ready_for(std::string_view reason, std::string_view name) {
  api::DriverMachine machine;
  machine.metadata.namespace_ = "default"_text;
  machine.metadata.name = Text(name);
  machine.metadata.resource_version = api::ResourceVersion(1);
  machine.status.conditions = {api::conditions::make(api::condition::kReady, api::status::kFalse, reason)};
  return machine;
}

TEST(Probes, CountOrphansAndObjectsInTheWrongAccount) {
  Caches caches;
  Metrics metrics;
  const Probes probes(&metrics);
  api::DriverCluster cluster;
  cluster.metadata.namespace_ = "default"_text;
  cluster.metadata.name = "c1"_text;
  cluster.metadata.resource_version = api::ResourceVersion(1);
  cluster.status.orphans = {{.provider_id = "sim:///1"_text}, {.provider_id = "sim:///2"_text}};
  caches.driver_clusters.apply(cluster);
  caches.driver_machines.apply(not_ready_for(api::driver::reason::kWrongAccount, "m1"));
  caches.driver_machines.apply(not_ready_for("WaitingForBootstrap", "m2"));

  probes.refresh(caches);

  EXPECT_THAT(metrics.text(), HasSubstr("capstan_orphan_vms 2"));
  EXPECT_THAT(metrics.text(), HasSubstr(R"(capstan_wrong_account{kind="DriverMachine"} 1)"));
  EXPECT_THAT(metrics.text(), HasSubstr(R"(capstan_wrong_account{kind="DriverMachinePool"} 0)"));
}

}  // namespace
}  // namespace capstan::infrastructure
