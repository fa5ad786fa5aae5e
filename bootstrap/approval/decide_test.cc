#include "bootstrap/approval/decide.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/names.h"
#include "bootstrap/approval/request_fixture.h"

namespace capstan::bootstrap::approval {
namespace {

using testing::HasSubstr;

constexpr std::string_view kTokenUser = "system:bootstrap:abcdef";

// Machine m1, which has not joined yet, with NodeConfig workers.
Member machine(const std::string& name = "m1") {
  return {.config = {.namespace_ = "default", .name = name},
          .node_config = "workers",
          .owner = {.kind = "Machine", .name = name, .cluster = "c1"}};
}
Member joined() {
  Member member = machine();
  member.owner.nodes_missing = false;
  member.owner.nodes = {"node-of-m1"};
  return member;
}
Member pool() {
  return {.config = {.namespace_ = "default", .name = "mp1"},
          .node_config = "workers",
          .owner = {.kind = std::string(api::kind::kMachinePool), .name = "mp1", .cluster = "c1"}};
}

// The request of m1 for its first certificate, with its token.
Case birth() {
  return {.request = *read_request(signing_request("r1", kRequestOfM1, kTokenUser)),
          .ours = true,
          .minted_for = machine(),
          .holder = machine()};
}
// m1 has joined and asks again as that user.
Case renewal(std::string_view user, std::vector<std::string> groups) {
  Case seen{
      .request = *read_request(signing_request("r1", kRequestOfM1, user)), .ours = true, .holder = joined()};
  seen.request.groups = std::move(groups);
  return seen;
}

void expect_approved(const Case& seen) {
  const auto verdict = judge(seen);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->decision, Decision::Approve) << verdict->why;
}
void expect_denied(const Case& seen, std::string_view why) {
  const auto verdict = judge(seen);
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->decision, Decision::Deny);
  EXPECT_THAT(verdict->why, HasSubstr(why));
}

TEST(Approval, IsForTheMachineThatTheTokenWasMintedFor) { expect_approved(birth()); }

TEST(Approval, IsNotForAnotherMachineThanTheTokens) {
  Case stolen = birth();
  stolen.minted_for = machine("m2");

  expect_denied(stolen, "the bootstrap token was minted for Machine default/m2");
}

TEST(Approval, IsNotForAnotherNodeConfigThanTheMachines) {
  Case other_config = birth();
  other_config.minted_for->node_config = "control-plane";
  Case other_namespace = birth();
  other_namespace.minted_for->config.namespace_ = "elsewhere";

  expect_denied(other_config, "has NodeConfig control-plane");
  expect_denied(other_namespace, "Machine elsewhere/m1");
}

TEST(Approval, EndsWithTheNode) {
  Case late = birth();
  late.minted_for = joined();

  expect_denied(late, "has a Node already");
}

TEST(Approval, EndsWithTheMachine) {
  Case going = birth();
  going.minted_for->owner.deleting = true;

  expect_denied(going, "is being deleted");
}

TEST(Approval, IsRepeatedForAMachineThatHasNoNode) {
  Case again = birth();
  again.had_certificate = true;

  expect_approved(again);
}

TEST(Approval, IsForClientAuthAndOneSubjectAlone) {
  Case server = birth();
  server.request.usages = {"client auth", "server auth"};
  Case no_client = birth();
  no_client.request.usages = {"digital signature"};
  Case with_signature = birth();
  with_signature.request.usages = {"digital signature", "client auth"};
  Case with_names = birth();
  with_names.request = *read_request(signing_request("r1", kRequestWithNames, kTokenUser));

  expect_denied(server, "client auth only");
  expect_denied(no_client, "client auth only");
  expect_approved(with_signature);
  expect_denied(with_names, "the subject is not that of one machine");
}

TEST(Approval, IsForEachInstanceOfAPoolOnce) {
  Case first = birth();
  first.minted_for = pool();
  Case second = first;
  second.had_certificate = true;
  Case there = first;
  there.node_is_there = true;
  Case machines = first;
  machines.names_other_machine = true;

  expect_approved(first);
  expect_denied(second, "has got a certificate already");
  expect_denied(there, "Node m1 is there already");
  expect_denied(machines, "Machine m1 is not of MachinePool default/mp1");
}

TEST(Approval, IsForOneOfTheRequestsThatAnInstanceIsNamedInAtOnce) {
  Case first = birth();
  first.minted_for = pool();
  Case other = first;
  other.request = *read_request(signing_request("r3", kRequestOfM2, kTokenUser));

  const auto verdicts = judge_all({first, first, other});

  ASSERT_TRUE(verdicts[0] && verdicts[1] && verdicts[2]);
  EXPECT_EQ(verdicts[0]->decision, Decision::Approve);
  EXPECT_EQ(verdicts[1]->decision, Decision::Deny);
  EXPECT_EQ(verdicts[2]->decision, Decision::Approve);
}

TEST(Approval, IsRenewedForTheAgentItself) {
  expect_approved(renewal("capstan.dev:agent:default:m1", {"capstan.dev:node-config:default:workers"}));
  expect_denied(renewal("capstan.dev:agent:default:m2", {"capstan.dev:node-config:default:workers"}),
                "is not Machine default/m1");
  expect_denied(renewal("capstan.dev:agent:default:m1", {"capstan.dev:node-config:default:others"}),
                "is not Machine default/m1");
}

TEST(Approval, IsRenewedForTheKubeletOfThatMachine) {
  expect_approved(renewal("system:node:node-of-m1", {"system:nodes"}));
  expect_denied(renewal("system:node:node-of-m2", {"system:nodes"}), "is not Machine default/m1");
}

TEST(Approval, IsRenewedForTheKubeletOfAnInstanceUnderItsName) {
  Case instance = renewal("system:node:m1", {"system:nodes"});
  instance.holder = pool();
  instance.holder->owner.nodes = {"m1", "m2"};
  Case neighbour = instance;
  neighbour.request.requester = "system:node:m2";

  expect_approved(instance);
  expect_denied(neighbour, "is not MachinePool default/mp1");
}

TEST(Approval, IsNotRenewedForAMachineThatIsGone) {
  Case gone = renewal("system:node:node-of-m1", {"system:nodes"});
  gone.holder.reset();

  expect_denied(gone, "no machine m1 has NodeConfig workers");
}

TEST(Approval, IsLeftToOthers) {
  Case of_another_cluster = renewal("system:node:node-of-m1", {"system:nodes"});
  of_another_cluster.ours = false;
  Case of_another_token = birth();
  of_another_token.minted_for.reset();
  Case of_a_person = birth();
  of_a_person.minted_for.reset();
  of_a_person.request.requester = "jane";

  EXPECT_EQ(judge(of_another_cluster), std::nullopt);
  EXPECT_EQ(judge(of_another_token), std::nullopt);
  EXPECT_EQ(judge(of_a_person), std::nullopt);
}

}  // namespace
}  // namespace capstan::bootstrap::approval
