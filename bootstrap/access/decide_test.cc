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

  EXPECT_EQ(describe(decide(altered)), "restore the subjects of capstan-node-bootstrapper");
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

TEST(Access, EndsForATokenWhoseCloudConfigIsGone) {
  Observation seen = all(BindingState::Right);
  seen.orphans = {"abcdef"};

  EXPECT_EQ(describe(decide(seen)), "remove bootstrap token abcdef, whose CloudConfig is gone");
}

TEST(Binding, IsJudgedByItsRoleAndSubjects) {
  const Binding& binding = bindings().front();
  const json::object right = binding_object(binding).as_object();
  json::object altered = right;
  altered.erase("subjects");
  json::object foreign = right;
  foreign["roleRef"] = json::object{{"name", "cluster-admin"}};

  EXPECT_EQ(state_of(binding, json::array{right}), BindingState::Right);
  EXPECT_EQ(state_of(binding, json::array{altered}), BindingState::Altered);
  EXPECT_EQ(state_of(binding, json::array{foreign}), BindingState::Foreign);
  EXPECT_EQ(state_of(binding, json::array()), BindingState::Missing);
}

}  // namespace
}  // namespace capstan::bootstrap::access
