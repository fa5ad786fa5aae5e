#include "controllers/machinepool/act_nodes.h"

#include <fmt/core.h>

#include <boost/json.hpp>
#include <unordered_set>

#include "api/contract/infra_machine_pool.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::controllers::machinepool {
namespace {

// So many Nodes a turn deletes of those that retire; the rest follows in the next.
constexpr std::size_t kDeletionsPerTurn = 500;

// The connection is asked for again: an Observation holds values only.
Result<void> connect(ActTurn& turn);
Result<std::vector<std::string>> live_list(ActTurn& turn);
Result<DrainRound> drain_round(ActTurn& turn, const Nodes& nodes, std::optional<Time> since);
Result<void> delete_node(ActTurn& turn, const api::Node& node);

}  // namespace

bool write_node_of_instance(ActTurn& turn, const WriteNode& action) {
  auto done = connect(turn);
  if (done) {
    done = write_node(turn.with, turn.memory.node_writes, turn.key,
                      {.client = turn.workload->client(), .node = *action.node, .change = action.change});
  }
  // The Node has changed meanwhile: its event brings the next turn.
  if (!done && done.error().code == Code::Conflict) return true;
  if (!done && turn.effects.node_trouble.empty()) turn.effects.node_trouble = done.error().message;
  return turn.keep(done);
}

void retire_nodes(ActTurn& turn, const RetireNodes& action) {
  Effects& effects = turn.effects;
  const auto live = live_list(turn);
  if (!turn.keep(live)) {
    effects.kept = action.nodes;
    return;
  }
  const std::unordered_set<std::string_view> listed(live->begin(), live->end());
  Nodes going;
  for (const auto& node : action.nodes) {
    (listed.contains(node->spec.provider_id) ? effects.kept : going).push_back(node);
  }
  if (action.drain) {
    auto round = drain_round(turn, going, std::nullopt);
    const Nodes& left = turn.keep(round) ? round->left : going;
    effects.kept.insert(effects.kept.end(), left.begin(), left.end());
    going = round ? std::move(round->emptied) : Nodes();
  }
  std::size_t deleted = 0;
  for (const auto& node : going) {
    if (++deleted > kDeletionsPerTurn) {
      effects.unfinished = true;
      effects.kept.push_back(node);
    } else if (!turn.keep(delete_node(turn, *node))) {
      effects.kept.push_back(node);
    }
  }
}

bool drain_nodes(ActTurn& turn, const DrainNodes& action) {
  const auto round = drain_round(turn, action.nodes, action.since);
  if (!turn.keep(round)) return false;
  if (round->left.empty()) return true;
  turn.effects.waits_for = {
      .reason = round->by_volumes ? api::reason::kWaitingForVolumeDetach : api::reason::kDrainingNode,
      .message = "Draining Nodes before deletion: " + round->message,
      .recheck = round->recheck};
  return false;
}

bool delete_nodes(ActTurn& turn, const DeleteNodes& action) {
  bool deleted_all = true;
  for (const auto& node : action.nodes) {
    const auto deleted = delete_node(turn, *node);
    if (deleted || action.once) continue;
    turn.keep(deleted);
    deleted_all = false;
  }
  if (!deleted_all && !turn.effects.node_trouble.empty())
    turn.effects.waits_for = {.reason = api::reason::kDeletingNode, .message = turn.effects.node_trouble};
  return deleted_all;
}

namespace {

Result<void> connect(ActTurn& turn) {
  if (turn.workload) return {};
  turn.workload = TRY(turn.with.deps.workload_clusters.get(
      {.namespace_ = turn.key.namespace_, .name = turn.seen.pool->spec.cluster_name.str()}));
  return {};
}

// Deleting a Node that works is worse than a request.
Result<std::vector<std::string>> live_list(ActTurn& turn) {
  if (is_off(Safeguard::LiveList)) return {};
  const ExternalSeen& infra = turn.seen.infra;
  const auto live = TRY(turn.with.deps.client.get(infra.resource, infra.key, turn.deadline()));
  return api::contract::InfraMachinePool(api::contract::Foreign(live), infra.contract).provider_id_list();
}

Result<claims::Answer> clear(const ActTurn& turn, const api::Node& node) {
  return claims::clear_node(
      turn.server(), turn.with.host.externals,
      {.cluster = {.namespace_ = turn.key.namespace_, .name = turn.seen.pool->spec.cluster_name.str()},
       .provider_id = node.spec.provider_id,
       .node = &node},
      {.pool = turn.seen.pool.get()});
}

void add_notes(const DrainRound& round, Effects& effects) {
  for (const std::string& name : round.drained) {
    effects.notes.push_back(
        {.code = api::NoteCode::NodeDrained, .text = fmt::format("success draining Node \"{}\"", name)});
  }
  for (const std::string& name : round.detached) {
    effects.notes.push_back(
        {.code = api::NoteCode::NodeVolumesDetached,
         .text = fmt::format("success waiting for volumes of Node \"{}\" to be detached", name)});
  }
  for (const std::string& warning : round.warnings)
    effects.notes.push_back({.code = api::NoteCode::DrainRulesContradict, .text = warning});
}

Result<DrainRound> drain_round(ActTurn& turn, const Nodes& nodes, std::optional<Time> since) {
  TRY(connect(turn));
  auto round =
      turn.memory.drainer.turn(turn.seen,
                               {.nodes = nodes,
                                .began = since,
                                .clear = [&turn](const api::Node& node) { return clear(turn, node); },
                                .workload = turn.workload},
                               turn.deadline());
  turn.effects.draining = round.message;
  turn.effects.recheck = round.recheck;
  turn.effects.unfinished = turn.effects.unfinished || round.unfinished;
  add_notes(round, turn.effects);
  return round;
}

// The uid keeps another Node of that name safe. A conflict may mean that there is one, or nothing but bad
// luck: the cache will show it, until then the Node is not forgotten.
Result<void> delete_node(ActTurn& turn, const api::Node& node) {
  const auto answer = clear(turn, node);
  if (!answer) return fail(answer.error());
  if (!answer->clearance) return {};  // another's: it stays
  TRY(connect(turn));
  const kube::ObjectKey key = kube::key_of(node);
  const auto removed =
      claims::remove({.client = turn.workload->client(), .resource = kube::resources::nodes(), .key = key},
                     *answer->clearance, turn.deadline());
  if (removed || removed.error().code == Code::NotFound) return {};
  if (removed.error().code == Code::Conflict) return fail(removed.error());
  turn.effects.node_trouble =
      fmt::format("could not delete Node {}: {}", node.metadata.name.view(), removed.error().message);
  return fail(removed.error().context("delete Node " + node.metadata.name.str()));
}

}  // namespace
}  // namespace capstan::controllers::machinepool
