#include "cmd/manager/cached_lookups.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "test/builders/machine_deployment.h"
#include "test/builders/machine_lifecycle_policy.h"
#include "test/builders/machine_set.h"
#include "test/fakes/fake_clock.h"
#include "test/fakes/scripted_client.h"

namespace capstan::manager {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using webhooks::ContestedObject;

using builders::a_machine_deployment;
using builders::a_machine_set;
using builders::a_policy;

class LookedUp : public ::testing::Test {
 protected:
  std::vector<ContestedObject> contested_by(const api::MachineLifecyclePolicy& policy) const {
    return lookups_.contested_by(policy);
  }
  controllers::Caches caches_;
  fakes::ScriptedClient client_;
  fakes::FakeClock clock_;
  CachedLookups lookups_{caches_, client_, clock_};
};

TEST_F(LookedUp, NamesWhatAnotherPolicySelectsToo) {
  caches_.machine_deployments.apply(a_machine_deployment("mine").labelled("team", "a"));
  caches_.machine_deployments.apply(a_machine_deployment("theirs").labelled("team", "b"));
  caches_.machine_sets.apply(a_machine_set("free").labelled("team", "a"));
  caches_.machine_lifecycle_policies.apply(a_policy("of-team-a").selecting("team", "a"));
  caches_.machine_lifecycle_policies.apply(a_policy("of-everybody").selecting_everything());

  EXPECT_THAT(contested_by(a_policy("new").selecting("team", "a")),
              ElementsAre(ContestedObject{"MachineDeployment mine", {"of-everybody", "of-team-a"}},
                          ContestedObject{"MachineSet free", {"of-everybody", "of-team-a"}}));
}

TEST_F(LookedUp, IsNothingForThePolicyThatIsStoredAlready) {
  caches_.machine_deployments.apply(a_machine_deployment("mine").labelled("team", "a"));
  caches_.machine_lifecycle_policies.apply(a_policy("of-team-a").selecting("team", "a"));

  EXPECT_THAT(contested_by(a_policy("of-team-a").selecting("team", "a")), IsEmpty());
}

TEST_F(LookedUp, LeavesSetsToTheirDeployment) {
  caches_.machine_sets.apply(a_machine_set("owned").labelled("team", "a").with([](api::MachineSet& set) {
    set.metadata.owner_references = api::OwnerReferences(std::vector<api::OwnerReference>{
        {.kind = Text(api::kind::kMachineDeployment), .name = "md"_text, .controller = true}});
  }));
  caches_.machine_lifecycle_policies.apply(a_policy("of-everybody").selecting_everything());

  EXPECT_THAT(contested_by(a_policy("new").selecting("team", "a")), IsEmpty());
}

TEST_F(LookedUp, StaysInTheNamespaceOfThePolicy) {
  caches_.machine_deployments.apply(a_machine_deployment("mine").labelled("team", "a"));
  caches_.machine_lifecycle_policies.apply(a_policy("of-everybody").selecting_everything());

  EXPECT_THAT(contested_by(a_policy("new").in_namespace("elsewhere").selecting("team", "a")), IsEmpty());
}

TEST_F(LookedUp, ADefinitionIsMissingOnlyOnceAllAreListed) {
  const auto gadgets = [&] { return lookups_.labels_of_definition("gadgets.example.com"); };

  const auto early = gadgets();
  caches_.crds.begin_list();
  caches_.crds.finish_list({});
  const auto late = gadgets();

  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().code, Code::Unavailable);
  EXPECT_EQ(early.error().message,
            "CustomResourceDefinition gadgets.example.com is not yet known: Capstan has just started and is "
            "still listing them; try again in a few seconds");
  ASSERT_TRUE(late);
  EXPECT_EQ(*late, std::nullopt);
}

TEST_F(LookedUp, ADefinitionThatIsKnownHasItsLabelsWhileOthersAreListed) {
  api::CustomResourceDefinition known;
  known.metadata.name = "gadgets.example.com"_text;
  known.metadata.labels.set("cluster.x-k8s.io/v1beta2", "v1");
  caches_.crds.apply(std::move(known));

  const auto labels = lookups_.labels_of_definition("gadgets.example.com");

  ASSERT_TRUE(labels);
  ASSERT_NE(*labels, std::nullopt);
  EXPECT_EQ((*labels)->value_or_empty("cluster.x-k8s.io/v1beta2"), "v1");
}

TEST_F(LookedUp, APoolIsWhatTheClaimInTheServerAsks) {
  client_.on_get = [](const kube::Resource& resource,
                      const kube::ObjectKey& key) -> Result<boost::json::value> {
    EXPECT_EQ(resource.plural, "ipaddressclaims");
    if (key.name == "gone") return fail(Code::NotFound, "not found");
    if (key.name == "unread") return fail(Code::Unavailable, "down");
    return boost::json::parse(R"({"metadata":{"name":"asked","namespace":"default"},
      "spec":{"poolRef":{"apiGroup":"ipam.example.com","kind":"Pool","name":"p1"}}})");
  };
  const auto asked = [&](std::string name) { return lookups_.pool_asked_by({"default", std::move(name)}); };

  ASSERT_TRUE(asked("asked"));
  EXPECT_EQ((*asked("asked"))->name, "p1");
  ASSERT_TRUE(asked("gone"));
  EXPECT_EQ(*asked("gone"), std::nullopt);
  EXPECT_FALSE(asked("unread"));
}

}  // namespace
}  // namespace capstan::manager
