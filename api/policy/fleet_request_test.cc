#include "api/policy/fleet_request.h"

#include <gtest/gtest.h>

#include "api/policy/fleet_names.h"
#include "api/policy/names.h"
#include "test/builders/identity.h"

namespace capstan::api::policy {
namespace {

using builders::noon;
using namespace std::chrono_literals;

ObjectMeta with_grant(std::string_view text) {
  ObjectMeta object;
  object.annotations.set(Text(annotation::kFleetGrant), Text(text));
  return object;
}

TEST(FleetRequests, OfAnOrphanAreRead) {
  ObjectMeta cluster;
  cluster.annotations.set(Text(annotation::kFleetRequest),
                          Text(to_text({.reason = std::string(deletion::kOrphans), .since = noon()})));

  EXPECT_EQ(fleet_request_in(cluster), (FleetRequest{.reason = "Orphans", .since = noon()}));
}

TEST(FleetGrants, LastTenMinutes) {
  const ObjectMeta granted = with_grant(noon().to_string());

  EXPECT_EQ(fleet_grant_left(granted, noon() + 4min), 6min);
  EXPECT_EQ(fleet_grant_left(granted, noon() + 10min), std::nullopt);
}

TEST(FleetGrants, ThatNameNoTimeAreNone) {
  EXPECT_EQ(fleet_grant_left(with_grant("yes"), noon()), std::nullopt);
  EXPECT_EQ(fleet_grant_left(ObjectMeta(), noon()), std::nullopt);
}

}  // namespace
}  // namespace capstan::api::policy
