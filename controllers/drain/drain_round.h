// One turn of one drain, from the Node to the report: asks the workload cluster, cordons, evicts. Made for
// the turn and gone after it; the drainer keeps the memory. One thread.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/core/volume_attachment.h"
#include "base/deadline.h"
#include "controllers/drain/cluster_lists.h"
#include "controllers/drain/drain_message.h"
#include "controllers/drain/drain_plan.h"
#include "controllers/drain/drain_watch.h"
#include "controllers/drain/drainer.h"
#include "controllers/drain/eviction.h"
#include "controllers/drain/probes.h"

namespace capstan::controllers::drain {

// Of one Machine's drain, between its turns. Safe to lose.
struct DrainMemory {
  std::map<std::string, Attempt> attempts = {};  // by uid of the Pod
  Time numbers_told = {};                        // when the numbers of budgets were last brought up to date
  std::set<std::string> warned = {};             // of what the user has been told in an Event
  std::set<api::ObjectKey> living_daemon_sets = {};
  VolumeQueue queue = {};  // where Pods with volumes go one after the other
  // The Node as it was cordoned in this turn, so that the look at volumes needs no other one.
  std::optional<api::NodeVolumes> cordoned = {};
  std::unique_ptr<DrainWatch> watch = {};
  std::unique_ptr<VolumeWatch> volume_watch = {};  // once the wait for volumes has begun
  std::shared_ptr<ClusterLists> lists = {};  // of its workload cluster; the drainer sets it before a turn
};

struct DrainRoundDeps {
  const Clock& clock;
  const Probes& probes;
};

class DrainRound {
 public:
  DrainRound(const DrainRoundDeps& deps, const DrainRequest& request, DrainMemory& memory,
             const Deadline& deadline)
      : clock_(deps.clock), probes_(deps.probes), request_(request), memory_(memory), deadline_(deadline) {}

  Result<StageReport> drain();
  Result<StageReport> volumes();
  // After drain(): Namespaces with Pods that their budgets hold.
  const std::set<std::string>& held_by_budgets() const { return held_; }
  // After drain(): what the user has to hear even if the drain is over by now; each once.
  std::vector<std::string> take_warnings() { return std::move(warnings_); }
  // After drain(): Pods that it has deleted as their evictions were refused too long.
  std::vector<std::string> take_given_up() { return std::move(given_up_); }
  // After volumes(): those the Node's status had.
  const VolumesOfNode& volumes_seen() const { return volumes_seen_; }

 private:
  kube::Client& client() const { return request_.workload->client(); }

  // --- what the cluster says ---
  Result<runtime::Snapshot<api::Node>> node();  // null: it is gone
  Result<std::vector<api::Pod>> list_pods();
  Result<std::vector<DrainRule>> rules() const;
  Result<DrainAnswers> answers_to(const DrainQuestions& questions);
  Result<bool> lives(const api::ObjectKey& daemon_set);

  // --- the drain ---
  Result<void> cordon(runtime::Snapshot<api::Node> node);
  Result<StageReport> drain_pods(const std::vector<api::Pod>& pods);
  Result<std::string> why_by_force(const api::Node& node);  // empty: evictions will do
  Result<StageReport> delete_pods(std::string why);
  void forget_pods_that_are_gone(const std::vector<api::Pod>& pods);
  Result<void> evict_all(const DrainPlan::Pods& pods, DrainProgress& progress);
  Result<void> evict_if_due(const api::Pod& pod, const Deadline& round, DrainProgress& progress);
  Result<void> evict(const api::Pod& pod, DrainProgress& progress);
  bool is_going(const api::Pod& pod) const;
  bool gives_up_evictions() const;
  Result<void> delete_refused(const api::Pod& pod, DrainProgress& progress);
  // --- one after the other ---
  Result<void> look_at_queue(std::span<const api::Pod> pods);
  Result<void> evict_in_turn(const DrainPlan::Pods& pods, const Deadline& round, DrainProgress& progress);
  Result<void> learn_claims(const VolumeLook& look);
  Result<void> send_away(const kube::ObjectKey& pod, const kube::DeleteOptions& options);
  Time failing_since(const api::Pod& pod, const Attempt& now) const;
  void count(const Result<void>& evicted) const;
  void pause(const api::Pod& pod, Attempt& last, DrainProgress& progress);
  Budgets* budgets_of(const api::Pod& pod);
  void explain_budgets_of(const api::Pod& pod, DrainProgress& progress);
  void warn_of(const std::vector<Contradiction>& contradictions, DrainProgress& progress);
  StageReport report(const DrainPlan& plan, const DrainProgress& progress);
  Seconds recheck(const DrainPlan& plan);

  // --- volumes ---
  Result<api::NodeVolumes> node_volumes();
  Result<std::vector<std::string>> ignored_claims();

  const Clock& clock_;
  const Probes& probes_;
  const DrainRequest& request_;
  DrainMemory& memory_;
  const Deadline& deadline_;
  bool unreachable_ = false;
  std::optional<Time> force_begins_ = {};
  std::set<std::string> held_ = {};
  // By Namespace, as the watch has them, less what this round has asked for. Null: not watched.
  std::map<std::string, std::optional<Budgets>> budgets_ = {};
  bool numbers_are_new_ = false;
  bool numbers_are_old_ = false;  // newer ones are there, but it is too early to tell them
  std::vector<std::string> warnings_ = {};
  std::string next_waits_for_ = {};  // where Pods with volumes go one after the other; empty: the next may go
  std::vector<std::string> given_up_ = {};
  VolumesOfNode volumes_seen_ = {};
};

}  // namespace capstan::controllers::drain
