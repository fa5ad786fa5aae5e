#include "bootstrap/access/decide.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

namespace capstan::bootstrap::access {
namespace {

namespace json = boost::json;

// A workload cluster in which each binding is in that state.
Observation all(BindingState state) {
  return {.wanted = true, .states = std::vector<BindingState>(bindings().size(), state)};
}

TEST(Access, IsGrantedToOurTokensAndToNodes) {
  EXPECT_EQ(describe(decide(all(BindingState::Missing))),
            "bind system:bootstrappers:capstan to system:node-bootstrapper\n"
            "bind system:bootstrappers:capstan to "
            "system:certificates.k8s.io:certificatesigningrequests:nodeclient\n"
            "bind system:nodes to system:certificates.k8s.io:certificatesigningrequests:selfnodeclient");
}

TEST(Access, IsLeftAloneWhenItIsRight) { EXPECT_EQ(describe(decide(all(BindingState::Right))), "nothing"); }

TEST(Access, IsRepaired) {
  Observation altered = all(BindingState::Right);
  altered.states.front() = BindingState::Altered;
  Observation foreign = all(BindingState::Right);
  foreign.states.front() = BindingState::Foreign;

  EXPECT_EQ(describe(decide(altered)), "put labels and subjects of capstan-node-bootstrapper right");
  EXPECT_EQ(describe(decide(foreign)),
            "remove capstan-node-bootstrapper\n"
            "bind system:bootstrappers:capstan to system:node-bootstrapper");
}

TEST(Access, GoesWithTheLastCloudConfigThatJoinsMachines) {
  Observation present = all(BindingState::Right);
  present.wanted = false;
  Observation absent = all(BindingState::Missing);
  absent.wanted = false;

  EXPECT_EQ(describe(decide(present)),
            "remove capstan-node-bootstrapper\n"
            "remove capstan-node-first-certificate\n"
            "remove capstan-node-certificate-renewal");
  EXPECT_EQ(describe(decide(absent)), "nothing");
}

TEST(Access, IsLeftToTheClusterThatItWasMadeFor) {
  Observation wanted = all(BindingState::OfAnother);
  Observation unwanted = wanted;
  unwanted.wanted = false;

  EXPECT_EQ(describe(decide(wanted)), "nothing");
  EXPECT_EQ(describe(decide(unwanted)), "nothing");
}

TEST(Access, EndsForATokenWhoseCloudConfigIsGone) {
  Observation seen = all(BindingState::Right);
  seen.orphans = {"abcdef"};

  EXPECT_EQ(describe(decide(seen)), "remove bootstrap token abcdef, whose CloudConfig is gone");
}

const kube::ObjectKey kCluster = {.namespace_ = "default", .name = "c1"};

TEST(Binding, SaysWhichClusterItWasMadeFor) {
  const json::value labelled = binding_object(bindings().front(), kCluster);

  EXPECT_EQ(made_for(labelled), kCluster);
  EXPECT_EQ(made_for(json::object{{"metadata", json::object{{"name", "c1"}}}}), std::nullopt);
}

TEST(Binding, IsJudgedByRoleSubjectsAndLabels) {
  const Binding& binding = bindings().front();
  const json::object right = binding_object(binding, kCluster).as_object();
  json::object altered = right;
  altered.erase("subjects");
  json::object unlabelled = right;
  unlabelled["metadata"] = json::object{{"name", binding.name}};
  json::object foreign = right;
  foreign["roleRef"] = json::object{{"name", "cluster-admin"}};

  EXPECT_EQ(state_of(binding, kCluster, right), BindingState::Right);
  EXPECT_EQ(state_of(binding, kCluster, altered), BindingState::Altered);
  EXPECT_EQ(state_of(binding, kCluster, unlabelled), BindingState::Altered);
  EXPECT_EQ(state_of(binding, kCluster, foreign), BindingState::Foreign);
  EXPECT_EQ(state_of(binding, {.namespace_ = "default", .name = "c2"}, right), BindingState::Altered);
}

}  // namespace
}  // namespace capstan::bootstrap::access
