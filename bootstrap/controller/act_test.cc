#include "bootstrap/controller/act.h"

#include <gmock/gmock.h>

#include "test/fakes/fake_clock.h"
#include "test/fakes/recorded_events.h"
#include "test/fakes/scripted_client.h"

namespace capstan::bootstrap::controller {
namespace {

// A Cluster whose kubeconfig Secret is gone: there is no client of it.
struct Unreachable {
  fakes::FakeClock clock;
  fakes::ScriptedClient management;
  WorkloadClients workloads{management, clock,
                            [](const auto&, const auto&) -> Result<std::unique_ptr<kube::Client>> {
                              return fail(Code::Unavailable, "no route to host");
                            }};
  SeededRandomness keys{1};
  Caches caches;
  fakes::RecordedEvents events;
  const Deps deps{.clock = clock,
                  .client = management,
                  .workloads = workloads,
                  .keys = keys,
                  .caches = caches,
                  .events = events};
  runtime::Consistency consistency{clock};
  const runtime::Context context{.deadline = Deadline::never()};

  Unreachable() {
    management.on_get = [](const kube::Resource&, const ObjectKey&) -> fakes::ScriptedClient::Object {
      return fail(Code::NotFound, "secrets \"c1-kubeconfig\" not found");
    };
  }
  Effects removes_token(bool may_fail) {
    const Plan plan{
        .actions = {RemoveToken{
            .cluster = {.namespace_ = "default", .name = "c1"}, .id = "a", .may_fail = may_fail}}};
    return act({.deps = deps, .consistency = consistency, .context = context}, {}, plan);
  }
};

TEST(Act, KeepsATokenInMindWhoseClusterCannotBeReached) {
  EXPECT_TRUE(Unreachable().removes_token(false).error.has_value());
}

TEST(Act, GivesATokenUpThatMayBeLeftToItsExpiry) {
  EXPECT_FALSE(Unreachable().removes_token(true).error.has_value());
}

}  // namespace
}  // namespace capstan::bootstrap::controller
