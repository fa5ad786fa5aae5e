#include "controllers/drain/drain_round.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <cassert>

#include "api/core/namespace.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "controllers/claims/removal.h"
#include "controllers/drain/cordon.h"
#include "controllers/drain/hopeless.h"
#include "controllers/drain/pace.h"
#include "controllers/drain/volumes.h"
#include "kube/resources.h"
#include "kube/typed.h"

namespace capstan::controllers::drain {
namespace {

constexpr auto kRound = std::chrono::seconds(10);  // of evictions; the rest comes next time
constexpr std::int64_t kUnreachableGrace = 1;      // seconds: no kubelet is there to use more
constexpr int kCordonTries = 3;
constexpr Seconds kLongestVolumePause{60};
constexpr Seconds kQueuePause{5};  // while a Pod with volumes waits for its turn
constexpr Seconds kNumbersPause{
    10};  // each news of a busy budget would be a write for every Node it holds up
constexpr std::size_t kContradictionsShown = 3;
constexpr std::size_t kHopelessShown = 3;
constexpr std::size_t kContradictionsRemembered = 64;  // more of them are told of anew

std::string name_of(const api::Pod& pod) {
  return pod.metadata.namespace_.str() + "/" + pod.metadata.name.str();
}

std::vector<std::string> names_of(const DrainPlan::Pods& pods) {
  std::vector<std::string> names;
  for (const api::Pod* pod : pods) names.push_back(name_of(*pod));
  return names;
}

DrainProgress progress_of(const DrainPlan& plan, Time started) {
  return {.started = started,
          .terminating = names_of(plan.terminating),
          .overdue = names_of(plan.overdue),
          .wait_completed = names_of(plan.wait_completed),
          .evict_later = names_of(plan.evict_later),
          .wait_later = names_of(plan.wait_later)};
}

bool is_empty(const DrainProgress& progress) {
  return progress.terminating.empty() && progress.overdue.empty() && progress.failed.empty() &&
         progress.wait_completed.empty() && progress.evict_later.empty() && progress.wait_later.empty() &&
         progress.in_turn.empty();
}

}  // namespace

Result<StageReport> DrainRound::drain() {
  memory_.cordoned.reset();
  const auto node = TRY(this->node());
  if (!node) return StageReport::finished();
  unreachable_ = is_unreachable(*node);
  if (request_.cordons) TRY(cordon(node));
  if (auto why = TRY(why_by_force(*node)); !why.empty()) return delete_pods(std::move(why));
  const auto watched = memory_.watch ? memory_.watch->pods() : std::nullopt;
  if (watched) {
    auto report = TRY(drain_pods(*watched));
    if (!report.done) return report;
  }
  // That nothing is left must be the API server's own word: what comes next destroys the machine.
  return drain_pods(TRY(list_pods()));
}

Result<StageReport> DrainRound::drain_pods(const std::vector<api::Pod>& pods) {
  forget_pods_that_are_gone(pods);
  if (pods.empty()) return StageReport::finished();
  const auto rules = TRY(this->rules());
  const DrainQuestions questions = questions_about(pods, rules);
  std::erase_if(memory_.living_daemon_sets,
                [&](const auto& daemon_set) { return !questions.daemon_sets.contains(daemon_set); });
  const DrainAnswers answers = TRY(answers_to(questions));
  const DrainInput input{
      .now = request_.now, .unreachable = unreachable_, .pods = pods, .rules = rules, .answers = answers};
  const DrainPlan plan = drain_plan(input);
  DrainProgress progress = progress_of(plan, request_.started);
  warn_of(contradictions(input), progress);
  if (request_.volumes_in_turn) TRY(look_at_queue(pods));
  TRY(evict_all(plan.evict, progress));
  if (is_empty(progress)) return StageReport::finished();
  return report(plan, progress);
}

// The cache may be behind: what is destroyed by force needs the API server's word on the Node.
Result<std::string> DrainRound::why_by_force(const api::Node& node) {
  force_begins_ = drain::force_begins(trouble_of(node), request_.force);
  const bool is_due = force_begins_ && *force_begins_ <= request_.now;
  if (request_.force.why.empty() && !is_due) return std::string();
  if (is_due && is_off(Safeguard::LiveNotReady)) return trouble_of(node)->what;
  const auto live = kube::get<api::Node>(client(), {.name = request_.node}, deadline_);
  if (!live && live.error().code == Code::NotFound) return std::string();
  if (!live) return fail(live.error());
  if (live->metadata.uid != node.metadata.uid)
    return fail(Code::Conflict, "Node " + request_.node + " is another one by now");
  if (!request_.force.why.empty()) return request_.force.why;
  const auto trouble = trouble_of(*live);
  const auto begins = drain::force_begins(trouble, request_.force);
  return begins && *begins <= request_.now ? trouble->what : std::string();
}

// Of each Pod the server's answer is enough: the kubelet that would have to end it may be gone for good.
Result<StageReport> DrainRound::delete_pods(std::string why) {
  assert(request_.clearance && "a drain has asked whose the Node is");
  const auto pods = TRY(list_pods());
  const auto rules = TRY(this->rules());
  const DrainAnswers answers = TRY(answers_to(questions_about(pods, rules)));
  const DrainPlan plan = drain_plan({.now = request_.now, .pods = pods, .rules = rules, .answers = answers});
  ByForce done{.why = std::move(why)};
  Result<void> failed;
  for (const api::Pod* pod : to_be_deleted(plan, request_.node)) {
    const auto removed = claims::remove_by_force(client(), pod->metadata, *request_.clearance, deadline_);
    if (removed) done.pods.push_back(name_of(*pod));
    const bool is_left = !removed && removed.error().code != Code::NotFound;
    if (is_left && failed) failed = fail(removed.error().context("delete Pod " + name_of(*pod)));
  }
  TRY(failed);
  return StageReport{.done = true, .by_force = std::move(done)};
}

// A Node that does not get empty for weeks sees many Pods, each with an answer of its own.
void DrainRound::forget_pods_that_are_gone(const std::vector<api::Pod>& pods) {
  std::set<std::string> there;
  for (const api::Pod& pod : pods) there.insert(pod.metadata.uid.str());
  std::erase_if(memory_.attempts, [&](const auto& attempt) { return !there.contains(attempt.first); });
}

// --- what the cluster says ---

Result<runtime::Snapshot<api::Node>> DrainRound::node() {
  const kube::ObjectKey key{.name = request_.node};
  if (auto known = request_.workload->nodes().get(key)) return known;
  auto live = kube::get<api::Node>(client(), key, deadline_);
  if (live) return std::make_shared<const api::Node>(std::move(*live));
  if (live.error().code == Code::NotFound) return runtime::Snapshot<api::Node>();
  return fail(live.error());
}

Result<std::vector<api::Pod>> DrainRound::list_pods() {
  return memory_.lists->pods(*request_.workload, request_.node, deadline_);
}

Result<std::vector<DrainRule>> DrainRound::rules() const {
  auto rules =
      rules_for({.machine = request_.machine.metadata.labels, .cluster = request_.cluster.metadata.labels},
                request_.rules);
  if (rules) return rules;
  Error unreadable = std::move(rules).error();
  unreadable.message += "; correct the rule or delete it, until then no Node of a Machine in namespace " +
                        request_.machine.metadata.namespace_.str() + " is drained";
  return fail(std::move(unreadable));
}

Result<DrainAnswers> DrainRound::answers_to(const DrainQuestions& questions) {
  DrainAnswers answers;
  for (const auto& daemon_set : questions.daemon_sets) {
    if (TRY(lives(daemon_set))) answers.living_daemon_sets.insert(daemon_set);
  }
  for (const auto& name : questions.namespaces) {
    const auto found = TRY(kube::get<api::Namespace>(client(), {.name = name}, deadline_));
    answers.namespaces[name] = found.metadata.labels;
  }
  return answers;
}

// Asked once per drain: when a DaemonSet goes later, its own controller takes the Pods away.
Result<bool> DrainRound::lives(const api::ObjectKey& daemon_set) {
  static const kube::Resource kDaemonSets{
      .group = "apps", .version = "v1", .plural = "daemonsets", .kind = "DaemonSet"};
  if (memory_.living_daemon_sets.contains(daemon_set)) return true;
  const auto found = client().get(kDaemonSets, daemon_set, deadline_);
  if (!found && found.error().code == Code::NotFound) return false;
  if (!found) return fail(found.error().context("get DaemonSet " + daemon_set.describe()));
  memory_.living_daemon_sets.insert(daemon_set);
  return true;
}

// --- cordon ---

Result<void> DrainRound::cordon(runtime::Snapshot<api::Node> node) {
  const kube::ObjectKey machine = kube::key_of(request_.machine);
  for (int tries = 1;; ++tries) {
    const auto patch = cordon_patch(*node, machine);
    if (!patch) return {};
    const auto answer =
        client().patch(kube::resources::nodes(), {.name = request_.node}, *patch, {}, deadline_);
    if (answer) {
      if (auto volumes = api::from_json<api::NodeVolumes>(*answer)) memory_.cordoned = std::move(*volumes);
      return {};
    }
    if (answer.error().code == Code::NotFound) return {};
    if (answer.error().code != Code::Conflict || tries == kCordonTries)
      return fail(answer.error().context("cordon Node " + request_.node));
    auto live = TRY(kube::get<api::Node>(client(), {.name = request_.node}, deadline_));
    node = std::make_shared<const api::Node>(std::move(live));
  }
}

// --- evictions ---

Result<void> DrainRound::evict_all(const DrainPlan::Pods& pods, DrainProgress& progress) {
  const Deadline round = deadline_.no_later_than(clock_.steady_now() + kRound);
  DrainPlan::Pods with_volumes;
  for (const api::Pod* pod : pods) {
    if (request_.volumes_in_turn && has_volumes(*pod)) {
      with_volumes.push_back(pod);
    } else {
      TRY(evict_if_due(*pod, round, progress));
    }
  }
  TRY(evict_in_turn(in_turn(std::move(with_volumes)), round, progress));
  std::ranges::sort(progress.terminating);
  return {};
}

Result<void> DrainRound::evict_if_due(const api::Pod& pod, const Deadline& round, DrainProgress& progress) {
  const auto known = memory_.attempts.find(pod.metadata.uid.str());
  Attempt* last = known == memory_.attempts.end() ? nullptr : &known->second;
  const Outlook outlook = outlook_of(pod, budgets_of(pod));
  if (last != nullptr) last->outlook.open = last->outlook.open && outlook.open;
  const Time due = next_eviction({.last = last, .started = request_.started, .now = &outlook});
  const bool rests = last != nullptr && due > request_.now;
  if (rests && (last->accepted || !gives_up_evictions())) {
    pause(pod, *last, progress);
  } else if (round.passed(clock_.steady_now())) {
    progress.failed[std::string(kRoundIsOver)].push_back(name_of(pod));
  } else {
    return evict(pod, progress);
  }
  return {};
}

// --- one after the other ---

// A Pod that is refused is put aside, and the next one asked for; the first that goes holds the others up.
Result<void> DrainRound::evict_in_turn(const DrainPlan::Pods& pods, const Deadline& round,
                                       DrainProgress& progress) {
  for (const api::Pod* pod : pods) {
    const bool may_go = next_waits_for_.empty() || is_off(Safeguard::VolumesInTurn);
    if (!may_go) {
      progress.in_turn.push_back(name_of(*pod));
      continue;
    }
    TRY(evict_if_due(*pod, round, progress));
    if (is_going(*pod)) next_waits_for_ = fmt::format("Pod {} to end", name_of(*pod));
  }
  progress.next_waits_for = next_waits_for_;
  return {};
}

// Or gone: then nothing is remembered of it.
bool DrainRound::is_going(const api::Pod& pod) const {
  const auto attempt = memory_.attempts.find(pod.metadata.uid.str());
  return attempt == memory_.attempts.end() || attempt->second.accepted;
}

Result<void> DrainRound::look_at_queue(std::span<const api::Pod> pods) {
  const auto attachments = TRY(kube::list<api::VolumeAttachment>(client(), {}, deadline_));
  const VolumeLook look{.now = request_.now,
                        .node = request_.node,
                        .pods = pods,
                        .attachments = attachments.items,
                        .waits = *request_.volumes_in_turn};
  TRY(learn_claims(look));
  next_waits_for_ = holds_up_next(look, memory_.queue);
  return {};
}

// Once for all volumes that are attached: which claim a volume is bound to does not change.
Result<void> DrainRound::learn_claims(const VolumeLook& look) {
  const auto unknown = unknown_volumes(look, memory_.queue);
  if (unknown.empty()) return {};
  const auto volumes = TRY(kube::list<api::PersistentVolume>(client(), {}, deadline_));
  for (const std::string& name : unknown) memory_.queue.claims[name];
  for (const api::PersistentVolume& volume : volumes.items) {
    const auto& claim = volume.spec.claim_ref;
    if (claim && unknown.contains(volume.metadata.name.str()))
      memory_.queue.claims[volume.metadata.name.str()] = claim->namespace_.str() + "/" + claim->name.str();
  }
  return {};
}

// --- one eviction ---

Result<void> DrainRound::send_away(const kube::ObjectKey& pod, const kube::DeleteOptions& options) {
  assert(request_.clearance && "a drain has asked whose the Node is");
  return claims::evict({.client = client(), .pod = pod, .options = options}, *request_.clearance, deadline_);
}

// Fails when it could not even be asked: then the turn has not taken place.
Result<void> DrainRound::evict(const api::Pod& pod, DrainProgress& progress) {
  Budgets* budgets = budgets_of(pod);
  Attempt attempt{.at = request_.now, .outlook = outlook_of(pod, budgets)};
  kube::DeleteOptions options{.uid = pod.metadata.uid.str()};
  if (unreachable_) options.grace_period_seconds = kUnreachableGrace;
  const auto evicted = send_away(kube::key_of(pod), options);
  count(evicted);
  attempt.accepted = evicted.has_value();
  if (evicted) {
    progress.terminating.push_back(name_of(pod));
  } else {
    switch (answer_of(evicted.error())) {
      case EvictionAnswer::Gone: return {};
      case EvictionAnswer::CrowdedOut: return fail(evicted.error());
      case EvictionAnswer::Replaced:
        progress.failed[std::string(kReplaced)].push_back(name_of(pod));
        return {};
      case EvictionAnswer::Failed: break;
    }
    if (gives_up_evictions()) return delete_refused(pod, progress);
    attempt.failure = failure_of(evicted.error());
    attempt.by_budget = is_budget_refusal(evicted.error());
    attempt.failing_since = failing_since(pod, attempt);
    numbers_are_new_ = numbers_are_new_ || attempt.by_budget;
    const bool fresh = attempt.by_budget || budgets == nullptr;  // the server's numbers are newer than ours
    attempt.shown = fresh ? attempt.failure : failure_by_now(attempt, covering(pod, *budgets));
    progress.failed[attempt.shown].push_back(name_of(pod));
    explain_budgets_of(pod, progress);
    held_.insert(pod.metadata.namespace_.str());
  }
  if (budgets != nullptr && (attempt.accepted || attempt.by_budget)) spend(pod, attempt.accepted, *budgets);
  memory_.attempts[pod.metadata.uid.str()] = std::move(attempt);
  return {};
}

bool DrainRound::gives_up_evictions() const {
  return request_.eviction_time && request_.now >= request_.started + *request_.eviction_time;
}

Result<void> DrainRound::delete_refused(const api::Pod& pod, DrainProgress& progress) {
  const auto removed = claims::remove_by_force(client(), pod.metadata, *request_.clearance, deadline_);
  if (!removed && removed.error().code != Code::NotFound)
    return fail(removed.error().context("delete Pod " + name_of(pod)));
  if (removed) given_up_.push_back(name_of(pod));
  progress.terminating.push_back(name_of(pod));
  memory_.attempts[pod.metadata.uid.str()] = {.at = request_.now, .accepted = true};
  return {};
}

Time DrainRound::failing_since(const api::Pod& pod, const Attempt& now) const {
  const auto last = memory_.attempts.find(pod.metadata.uid.str());
  const bool again = last != memory_.attempts.end() && !last->second.accepted && !last->second.by_budget;
  return again ? last->second.failing_since : now.at;
}

void DrainRound::count(const Result<void>& evicted) const {
  if (evicted) return probes_.evictions[EvictionResult::Accepted].add();
  const Error& error = evicted.error();
  if (is_our_own_brake(error)) return probes_.evictions[EvictionResult::CrowdedOut].add();
  const bool by_budget = is_budget_refusal(error);
  probes_.evictions[by_budget ? EvictionResult::RefusedByBudget : EvictionResult::Failed].add();
}

// It is not asked for now: what is said of it is the last answer, with newer numbers from time to time.
void DrainRound::pause(const api::Pod& pod, Attempt& last, DrainProgress& progress) {
  if (last.accepted) return progress.terminating.push_back(name_of(pod));
  held_.insert(pod.metadata.namespace_.str());
  const auto watched = memory_.watch ? memory_.watch->budgets(pod.metadata.namespace_.str()) : std::nullopt;
  if (watched) {
    std::string by_now = failure_by_now(last, covering(pod, *watched));
    const bool is_time = request_.now - memory_.numbers_told >= kNumbersPause;
    const bool is_news = by_now != last.shown;
    numbers_are_old_ = numbers_are_old_ || (is_news && !is_time);
    numbers_are_new_ = numbers_are_new_ || (is_news && is_time);
    if (is_time) last.shown = std::move(by_now);
  }
  progress.failed[last.shown].push_back(name_of(pod));
  explain_budgets_of(pod, progress);
}

// Once they are watched, which is so from the second turn on that they hold up.
void DrainRound::explain_budgets_of(const api::Pod& pod, DrainProgress& progress) {
  const Budgets* budgets = request_.explain_budgets ? budgets_of(pod) : nullptr;
  if (budgets == nullptr) return;
  for (const auto& budget : covering(pod, *budgets)) {
    auto line = why_never(*budget);
    if (!line.empty() && progress.hopeless.size() < kHopelessShown) progress.hopeless.insert(std::move(line));
  }
}

Budgets* DrainRound::budgets_of(const api::Pod& pod) {
  const std::string namespace_ = pod.metadata.namespace_.str();
  auto known = budgets_.find(namespace_);
  if (known == budgets_.end()) {
    known =
        budgets_.emplace(namespace_, memory_.watch ? memory_.watch->budgets(namespace_) : std::nullopt).first;
  }
  return known->second ? &*known->second : nullptr;
}

void DrainRound::warn_of(const std::vector<Contradiction>& contradictions, DrainProgress& progress) {
  for (const Contradiction& each : contradictions) {
    if (progress.contradictions.size() == kContradictionsShown) return;
    progress.contradictions.push_back(each.line);
    if (memory_.warned.size() == kContradictionsRemembered) memory_.warned.clear();
    if (memory_.warned.insert(each.between).second) warnings_.push_back(each.line);
  }
}

StageReport DrainRound::report(const DrainPlan& plan, const DrainProgress& progress) {
  if (numbers_are_new_) memory_.numbers_told = request_.now;
  const Seconds soon = progress.in_turn.empty() ? Seconds::max() : kQueuePause;
  return {.message = drain_message(progress), .recheck = std::min(recheck(plan), soon)};
}

Seconds DrainRound::recheck(const DrainPlan& plan) {
  constexpr Seconds kSoonest{1};
  const bool watching = memory_.watch && memory_.watch->complete();
  Seconds next = watching ? pause_after(request_.now - request_.started) : kShortestPause;
  for (const api::Pod* pod : plan.evict) {
    const auto attempt = memory_.attempts.find(pod->metadata.uid.str());
    if (attempt == memory_.attempts.end()) continue;
    const Time due = next_eviction({.last = &attempt->second, .started = request_.started});
    next = std::min(next, due - request_.now);
  }
  if (const auto by_time = next_by_time(plan, unreachable_)) next = std::min(next, *by_time - request_.now);
  if (request_.eviction_time && !gives_up_evictions())
    next = std::min(next, request_.started + *request_.eviction_time - request_.now);
  if (numbers_are_old_) next = std::min(next, memory_.numbers_told + kNumbersPause - request_.now);
  if (force_begins_ && *force_begins_ > request_.now) next = std::min(next, *force_begins_ - request_.now);
  return std::max(next, kSoonest);
}

// --- volumes ---

Result<StageReport> DrainRound::volumes() {
  const auto node = TRY(this->node());
  if (!node || is_unreachable(*node)) return StageReport::finished();
  const auto on_node = node_volumes();
  if (!on_node && on_node.error().code == Code::NotFound) return StageReport::finished();
  if (!on_node) return fail(on_node.error());
  volumes_seen_ = on_node->status.volumes_attached;
  const auto attachments = TRY(memory_.lists->attachments(*request_.workload, request_.node, deadline_));
  const auto attached = TRY(attached_names(request_.node, attachments));
  if (attached.empty() && on_node->status.volumes_attached.empty()) return StageReport::finished();
  const auto persistent = TRY(kube::list<api::PersistentVolume>(client(), {}, deadline_));
  const auto ignored = TRY(ignored_claims());
  const AttachedVolumes left = TRY(attached_volumes({.node = request_.node,
                                                     .attached_to_node = *on_node,
                                                     .attachments = attachments,
                                                     .volumes = persistent.items,
                                                     .ignored_claims = ignored}));
  if (left.none()) return StageReport::finished();
  return StageReport{.message = left.message(request_.started),
                     .recheck = std::min(pause_after(request_.now - request_.started), kLongestVolumePause)};
}

Result<api::NodeVolumes> DrainRound::node_volumes() {
  if (memory_.cordoned) {
    api::NodeVolumes seen = std::move(*memory_.cordoned);
    memory_.cordoned.reset();
    return seen;
  }
  return kube::get<api::NodeVolumes>(client(), {.name = request_.node}, deadline_);
}

// Of Pods that stay, whatever happens to the Node: what they use will not be detached.
Result<std::vector<std::string>> DrainRound::ignored_claims() {
  const auto pods = TRY(list_pods());
  std::vector<std::string> claims;
  if (pods.empty()) return claims;
  const auto rules = TRY(this->rules());
  const DrainAnswers answers = TRY(answers_to(questions_about(pods, rules)));
  const DrainPlan plan = drain_plan({.now = request_.now, .pods = pods, .rules = rules, .answers = answers});
  for (const api::Pod* pod : plan.skipped) std::ranges::copy(claims_of(*pod), std::back_inserter(claims));
  return claims;
}

}  // namespace capstan::controllers::drain
