#include "test/scenarios/rollout_world.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/conditions/conditions.h"
#include "api/v1beta2/machine_deployment_rules.h"
#include "controllers/machinedeployment/report.h"
#include "controllers/machineset/counters.h"
#include "controllers/machineset/decide.h"
#include "controllers/machineset/wanted.h"
#include "controllers/rollout/template_diff.h"
#include "test/builders/cluster.h"
#include "test/builders/machine.h"

namespace capstan::scenarios {
namespace {

namespace annotation = api::annotation;
namespace condition = api::condition;
namespace conditions = api::conditions;
using namespace controllers::machinedeployment;
namespace rollout = controllers::rollout;
namespace machineset = controllers::machineset;

constexpr std::string_view kDeployment = "deployment";
constexpr int kTooLong = 20'000;  // turns

bool is_available(const api::Machine& machine) {
  return conditions::is_true(machine.status.conditions, condition::kAvailable);
}
bool is_in(const api::Machine& machine, std::string_view set) {
  return machine.metadata.controller()->name == set;
}

// a, b, ... z, aa, ab ...
std::string letters(int number) {
  std::string text;
  for (++number; number > 0; number = (number - 1) / 26) {
    text.insert(text.begin(), static_cast<char>('a' + (number - 1) % 26));
  }
  return text;
}

}  // namespace

std::string_view to_string(Exception exception) {
  switch (exception) {
    case Exception::DeadlockBreaker: return "deadlock breaker";
    case Exception::NewSetScalesDown: return "the new set scales down";
    case Exception::PausedScaling: return "scaling while paused";
    case Exception::UnseenFailure: return "a failure its set had not seen yet";
  }
  return "";
}

RolloutWorld::RolloutWorld(api::MachineDeployment deployment, Behaviour behaviour)
    : deployment_(std::move(deployment)),
      cluster_(builders::a_cluster().running().shared()),
      behaviour_(std::move(behaviour)),
      now_(builders::noon()) {
  deployment_->metadata.generation = 1;
  awake_.emplace(kDeployment);
}

void RolloutWorld::begin_story(Behaviour behaviour) {
  behaviour_ = std::move(behaviour);
  log_.clear();
  last_state_.clear();
  round_ = 0;
}

void RolloutWorld::settle(std::optional<std::uint64_t> seed) {
  std::optional<SeededRandomness> chance;
  if (seed) chance.emplace(*seed);
  int turns = 0;
  const auto act = [&] { return let_user_act(chance ? &*chance : nullptr); };
  while ((!awake_.empty() || act()) && ++turns < kTooLong) {
    if (chance) {
      now_ = now_ + Seconds(1);
      round_ = turns;
      act();
      if (awake_.empty()) continue;
      auto who = awake_.begin();
      std::advance(who, static_cast<std::ptrdiff_t>(below(*chance, awake_.size())));
      take_turn(std::string(*who));
      continue;
    }
    now_ = now_ + Seconds(10);
    ++round_;
    act();
    const std::set<std::string> round = awake_;
    // Owners first: within a round whatever they decide reaches those below them.
    if (round.contains(std::string(kDeployment))) take_turn(std::string(kDeployment));
    for (const auto& who : round) {
      if (sets_.contains(who)) take_turn(who);
    }
    for (const auto& who : round) {
      if (machines_.contains(who)) take_turn(who);
    }
    std::erase_if(awake_, [&](const std::string& who) {
      return who != kDeployment && !sets_.contains(who) && !machines_.contains(who);
    });
    tell_state();
  }
  if (turns >= kTooLong) faults_.emplace_back("never comes to rest");
  for (const UserAct& left : behaviour_.user) unused_.push_back(left.text);
}

bool RolloutWorld::let_user_act(Randomness* chance) {
  if (behaviour_.user.empty() || !behaviour_.user.front().when(*this)) return false;
  // A hesitant user makes for more orders; with nothing else going on it acts at once.
  if (chance != nullptr && !awake_.empty() && below(*chance, 3) != 0) return false;
  UserAct act = std::move(behaviour_.user.front());
  behaviour_.user.erase(behaviour_.user.begin());
  tell("user", act.text);
  act.then(*this);
  return true;
}

void RolloutWorld::take_turn(const std::string& who) {
  awake_.erase(who);
  if (who == kDeployment) {
    turn_of_deployment();
  } else if (sets_.contains(who)) {
    turn_of_set(who);
  } else if (machines_.contains(who)) {
    turn_of_machine(who);
  }
}

// --- the user ---

void RolloutWorld::change(const std::function<void(api::MachineDeployment&)>& edit) {
  const auto before = deployment_->spec;
  edit(*deployment_);
  if (deployment_->spec != before) ++deployment_->metadata.generation;
  awake_.emplace(kDeployment);
  wake_machines();
}

void RolloutWorld::scale(std::int32_t replicas) {
  change([&](auto& deployment) { deployment.spec.replicas = replicas; });
}

void RolloutWorld::upgrade(std::string_view version) {
  change([&](auto& deployment) { deployment.spec.machine_template.spec.version = Text(version); });
}

void RolloutWorld::delete_deployment() {
  deployment_->metadata.deletion_timestamp = now_;
  awake_.emplace(kDeployment);
}

void RolloutWorld::delete_machine(std::string_view name) {
  api::Machine& machine = machines_.at(std::string(name));
  if (!machine.metadata.deleting()) machine.metadata.deletion_timestamp = now_;
  conditions::set(machine.status.conditions,
                  conditions::make(condition::kAvailable, api::status::kFalse, api::reason::kNotReady), 1,
                  now_);
  awake_.emplace(name);
  wake_set_of(machine);
  fail();
}

void RolloutWorld::break_machine(std::string_view name) {
  lose(name, {condition::kReady, condition::kAvailable, condition::kNodeHealthy});
}

void RolloutWorld::stall_machine(std::string_view name) {
  lose(name, {condition::kReady, condition::kAvailable});
}

void RolloutWorld::lose(std::string_view name, std::initializer_list<std::string_view> lost) {
  api::Machine& machine = machines_.at(std::string(name));
  broken_.emplace(name);
  for (const auto type : lost) {
    conditions::set(machine.status.conditions,
                    conditions::make(type, api::status::kFalse, api::reason::kNotReady), 1, now_);
  }
  wake_set_of(machine);
  fail();
}

// Whatever was decided before did not know of it.
void RolloutWorld::fail() {
  failure_unseen_ = true;
  for (auto& [set, decision] : decided_) decision.excused = true;
}

bool RolloutWorld::has_seen_everything() const {
  return std::ranges::all_of(sets_, [&](const auto& each) {
    return each.second.status.available_replicas.value_or(0) == available_of(each.first);
  });
}

void RolloutWorld::heal_machine(std::string_view name) {
  broken_.erase(std::string(name));
  conditions::remove(machines_.at(std::string(name)).status.conditions, condition::kNodeHealthy);
  awake_.emplace(name);
}

void RolloutWorld::hold_machine(std::string_view name) { held_.emplace(name); }

void RolloutWorld::release_machine(std::string_view name) {
  held_.erase(std::string(name));
  awake_.emplace(name);
}

void RolloutWorld::let_time_pass(Seconds span) {
  now_ = now_ + span;
  awake_.emplace(kDeployment);
  wake_machines();
}

// --- what is there ---

Count RolloutWorld::available() const {
  return std::ranges::count_if(machines_, [](const auto& each) { return is_available(each.second); });
}
Count RolloutWorld::available_of(std::string_view set) const {
  return std::ranges::count_if(
      machines_, [&](const auto& each) { return is_in(each.second, set) && is_available(each.second); });
}
Count RolloutWorld::machines_of(std::string_view set) const {
  return std::ranges::count_if(machines_, [&](const auto& each) { return is_in(each.second, set); });
}

// --- the deployment: its real decide and report ---

Observation RolloutWorld::look() const {
  Observation seen{.now = now_, .stored = std::make_shared<const api::MachineDeployment>(*deployment_)};
  seen.deployment = *deployment_;
  const auto defaulted = api::apply_defaults(seen.deployment, nullptr);
  if (!defaulted) seen.no_defaults = defaulted.error().message;
  seen.cluster = cluster_;
  seen.infrastructure = {.state = TemplateSeen::State::Exists, .kind = "DockerMachine"};
  seen.bootstrap = {.state = TemplateSeen::State::Exists, .kind = "KubeadmConfig"};
  for (const auto& [name, set] : sets_) seen.sets.push_back(std::make_shared<const api::MachineSet>(set));
  for (const auto& [name, machine] : machines_) {
    seen.machines.push_back(std::make_shared<const api::Machine>(machine));
  }
  seen.owned = seen.machines;
  seen.suffix = std::to_string(sets_made_ + 1);
  return seen;
}

void RolloutWorld::turn_of_deployment() {
  if (!deployment_) return;
  const Observation seen = look();
  const Plan plan = decide(seen);
  if (has_seen_everything()) failure_unseen_ = false;
  deadlock_broken_ |= std::ranges::any_of(
      plan.notes, [](const auto& note) { return note.text.contains("unblock rollout stuck"); });
  for (const auto& note : plan.notes) tell(kDeployment, fmt::format("{}: {}", note.about, note.text));
  for (const auto& fault : plan.faults) {
    if (told_faults_.insert(fault.because).second) tell(kDeployment, "is blocked: " + fault.because);
  }
  carry_out(plan);
  if (!deployment_) return;
  auto after =
      report(seen, plan, {.deployment = std::make_shared<const api::MachineDeployment>(*deployment_)});
  if (after.status == deployment_->status) return;
  deployment_ = std::move(after);
  awake_.emplace(kDeployment);  // its own write comes back as an event
}

void RolloutWorld::carry_out(const Plan& plan) {
  for (const Action& action : plan.actions) {
    if (const auto* create = std::get_if<CreateSet>(&action)) {
      api::MachineSet set = create->set;
      const std::string name = set.metadata.name.str();
      set.metadata.uid = builders::uid_of(api::kind::kMachineSet, name);
      set.metadata.generation = 1;
      set.metadata.creation_timestamp = now_;
      ++sets_made_;
      decided_[name] = {.bounds = bounds(), .excused = failure_unseen_};
      tell(kDeployment, fmt::format("makes MachineSet {} with {} replicas", name, *set.spec.replicas));
      sets_.emplace(name, std::move(set));
      awake_.insert({name, std::string(kDeployment)});
    } else if (const auto* own = std::get_if<WriteMetadata>(&action)) {
      deployment_->metadata = own->to;
    } else if (const auto* change = std::get_if<ApplySet>(&action)) {
      apply(*change);
    } else if (const auto* remove = std::get_if<DeleteSet>(&action)) {
      const std::string name = remove->set->metadata.name.str();
      if (!deployment_->metadata.deleting() && machines_of(name) > 0) {
        faults_.push_back(fmt::format("deletes MachineSet {} that has Machines", name));
      }
      tell(kDeployment, fmt::format("deletes MachineSet {}", name));
      sets_.at(name).metadata.deletion_timestamp = now_;
      awake_.insert(name);
    } else if (std::holds_alternative<DropFinalizer>(action)) {
      tell(kDeployment, "is gone");
      deployment_.reset();
      return;
    }
  }
}

void RolloutWorld::apply(const ApplySet& action) {
  api::MachineSet& set = sets_.at(action.present->metadata.name.str());
  const api::MachineSet before = set;
  set.spec = action.wanted.spec;
  set.metadata.labels = action.wanted.metadata.labels;
  set.metadata.annotations = action.wanted.metadata.annotations;
  if (set == before) return;
  const std::string name = set.metadata.name.str();
  if (set.spec != before.spec) ++set.metadata.generation;
  if (action.from != action.to) {
    decided_[name] = {.bounds = bounds(), .excused = failure_unseen_};
    tell(kDeployment, fmt::format("scales {} {} -> {}", name, action.from, action.to));
    const bool is_newest = set.metadata.annotations.value_or_empty(annotation::kRevision) ==
                           deployment_->metadata.annotations.value_or_empty(annotation::kRevision);
    if (action.to < action.from && is_newest) shrunk_blindly_.insert(name);
  }
  if (set.spec.machine_template != before.spec.machine_template) {
    tell(kDeployment, fmt::format("carries the template's changes over to {}", name));
  }
  if (set.metadata.annotations.value_or_empty(annotation::kRevision) !=
      before.metadata.annotations.value_or_empty(annotation::kRevision)) {
    tell(kDeployment, fmt::format("{} is revision {} now", name,
                                  set.metadata.annotations.value_or_empty(annotation::kRevision)));
  }
  awake_.insert({name, std::string(kDeployment)});
}

// --- MachineSets: their real decide and counters ---

machineset::Observation RolloutWorld::look_at_set(const api::MachineSet& set) const {
  machineset::Observation seen{
      .now = now_, .stored = std::make_shared<const api::MachineSet>(set), .set = set};
  seen.cluster = cluster_;
  if (deployment_) seen.deployment = std::make_shared<const api::MachineDeployment>(*deployment_);
  for (const auto& [name, machine] : machines_) {
    if (is_in(machine, set.metadata.name.view()))
      seen.machines.push_back(std::make_shared<const api::Machine>(machine));
  }
  seen.nodes.resize(seen.machines.size());
  return seen;
}

void RolloutWorld::turn_of_set(const std::string& name) {
  api::MachineSet& set = sets_.at(name);
  const api::MachineSet before = set;
  const machineset::Observation seen = look_at_set(set);
  const machineset::Plan plan = machineset::decide(seen);
  machineset::count(seen, {}, set.status);
  if (set.status.observed_generation < set.metadata.generation) update_machines(set);
  set.status.observed_generation = set.metadata.generation;
  if (set != before) awake_.emplace(kDeployment);
  for (const auto& action : plan.actions) {
    if (const auto* create = std::get_if<machineset::CreateMachines>(&action)) {
      for (int made = 0; made < create->count; ++made) make_machine(set);
    } else if (const auto* remove = std::get_if<machineset::DeleteMachine>(&action)) {
      remove_machine(remove->machine->metadata.name.str());
    } else if (std::holds_alternative<machineset::DropFinalizer>(action)) {
      tell(name, "is gone");
      sets_.erase(name);
      awake_.emplace(kDeployment);
      return;
    }
  }
}

// What does not need other Machines.
void RolloutWorld::update_machines(const api::MachineSet& set) {
  int changed = 0;
  for (auto& [name, machine] : machines_) {
    if (!is_in(machine, set.metadata.name.view()) || machine.metadata.deleting()) continue;
    const api::Machine wanted = machineset::updated_machine(set, machine);
    const bool differs =
        wanted.spec.min_ready_seconds != machine.spec.min_ready_seconds ||
        !std::ranges::all_of(wanted.metadata.labels, [&](const auto& label) {
          return machine.metadata.labels.value_or_empty(label.first.view()) == label.second.view();
        });
    if (!differs) continue;
    ++changed;
    machine.spec.min_ready_seconds = wanted.spec.min_ready_seconds;
    for (const auto& [key, value] : wanted.metadata.labels) machine.metadata.labels.set(key, value);
  }
  if (changed > 0)
    tell(set.metadata.name.view(), fmt::format("carries changes over to {} Machines", changed));
}

void RolloutWorld::make_machine(api::MachineSet& set) {
  const std::string name =
      fmt::format("{}-{}", set.metadata.name.view(), letters(machine_numbers_[set.metadata.name.str()]++));
  api::Machine machine = builders::a_machine(name)
                             .in_set(set.metadata.name.view())
                             .version(set.spec.machine_template.spec.version.view())
                             .created(now_);
  for (const auto& [key, value] : set.spec.machine_template.metadata.labels)
    machine.metadata.labels.set(key, value);
  tell(set.metadata.name.view(), fmt::format("makes Machine {}", name));
  machines_.emplace(name, std::move(machine));
  awake_.insert({name, set.metadata.name.str()});
  check_total(set.metadata.name.str());
}

void RolloutWorld::remove_machine(const std::string& name) {
  api::Machine& machine = machines_.at(name);
  tell(machine.metadata.controller()->name.view(), fmt::format("deletes Machine {}", name));
  if (is_available(machine)) check_available(name);
  machine.metadata.deletion_timestamp = now_;
  conditions::set(machine.status.conditions,
                  conditions::make(condition::kAvailable, api::status::kFalse, api::reason::kNotReady), 1,
                  now_);
  awake_.insert({name, machine.metadata.controller()->name.str()});
}

// --- Machines ---

void RolloutWorld::turn_of_machine(const std::string& name) {
  api::Machine& machine = machines_.at(name);
  if (machine.metadata.deleting()) {
    if (held_.contains(name)) return tell(name, "is held by a finalizer");
    tell(name, "is gone");
    wake_set_of(machine);
    machines_.erase(name);
    broken_.erase(name);
    return;
  }
  bool changed = update_up_to_date(machine);
  const bool broken = broken_.contains(name) || (behaviour_.stays_broken && behaviour_.stays_broken(machine));
  if (!broken && !is_available(machine)) {
    machine.status.node_ref = api::MachineNodeRef{.name = Text(name)};
    for (const auto type : {condition::kReady, condition::kAvailable}) {
      conditions::set(machine.status.conditions, conditions::make(type, api::status::kTrue, type), 1, now_);
    }
    tell(name, "is available");
    changed = true;
  }
  if (changed) wake_set_of(machine);
}

bool RolloutWorld::update_up_to_date(api::Machine& machine) const {
  const auto set = sets_.find(machine.metadata.controller()->name.str());
  if (set == sets_.end() || !deployment_) return false;
  const auto found =
      rollout::differences(set->second.spec.machine_template, deployment_->spec.machine_template);
  const Time after = deployment_->spec.rollout.after;
  const bool expired = after.is_set() && now_ >= after && set->second.metadata.creation_timestamp < after;
  api::Condition wanted = conditions::make(condition::kUpToDate, api::status::kTrue, api::reason::kUpToDate);
  if (!found.empty() || expired) {
    wanted =
        conditions::make(condition::kUpToDate, api::status::kFalse, api::reason::kNotUpToDate,
                         found.empty() ? "* MachineDeployment spec.rolloutAfter expired"
                                       : "* Version " + found.front().substr(found.front().find(' ') + 1));
  }
  return conditions::set(machine.status.conditions, std::move(wanted), 1, now_);
}

void RolloutWorld::wake_set_of(const api::Machine& machine) {
  const std::string set = machine.metadata.controller()->name.str();
  if (sets_.contains(set)) awake_.insert(set);
}

void RolloutWorld::wake_machines() {
  for (const auto& [name, machine] : machines_) awake_.insert(name);
}

// --- bounds ---

RolloutWorld::Bounds RolloutWorld::bounds() const {
  if (!deployment_ || deployment_->metadata.deleting()) return {.most = 0, .least = 0};
  api::MachineDeployment defaulted = *deployment_;
  if (!api::apply_defaults(defaulted, nullptr)) return {};
  const auto limits = rollout::limits_of(defaulted);
  if (!limits) return {};
  return {.most = limits->most(), .least = limits->least_available()};
}

// A set acts on what was decided for it last, however long ago: what was allowed then counts as well as what
// is allowed now.
void RolloutWorld::check_total(const std::string& set) {
  const Count most = std::max(bounds().most, decided_[set].bounds.most);
  if (total() > most) faults_.push_back(fmt::format("{} Machines, {} are allowed", total(), most));
}

void RolloutWorld::check_available(const std::string& leaving) {
  const std::string set = machines_.at(leaving).metadata.controller()->name.str();
  const Decision& decision = decided_[set];
  const Count least = std::min(bounds().least, decision.bounds.least);
  const Count left = available() - 1;
  if (left >= least) return;
  const std::string what =
      fmt::format("{} available Machines left without {}, {} are promised", left, leaving, least);
  if (deployment_ && deployment_->spec.paused.value_or(false))
    return exceptional(Exception::PausedScaling, what);
  if (decision.excused) return exceptional(Exception::UnseenFailure, what);
  if (shrunk_blindly_.contains(set)) return exceptional(Exception::NewSetScalesDown, what);
  if (deadlock_broken_) return exceptional(Exception::DeadlockBreaker, what);
  faults_.push_back(what);
}

void RolloutWorld::exceptional(Exception exception, const std::string& what) {
  met_.insert(exception);
  if (!behaviour_.allowed.contains(exception)) {
    faults_.push_back(fmt::format("{} ({})", what, to_string(exception)));
  }
  tell("!", fmt::format("{}: {}", what, to_string(exception)));
}

// --- telling ---

void RolloutWorld::tell(std::string_view who, std::string_view text) {
  log_.push_back(fmt::format("{:>3}  {:<11} {}", round_, who, text));
}

void RolloutWorld::tell_state() {
  const auto now = bounds();
  std::string state;
  for (const auto& [name, set] : sets_) {
    state += fmt::format("{}{} {}/{}/{}", state.empty() ? "" : ", ", name, *set.spec.replicas,
                         machines_of(name), available_of(name));
  }
  state = fmt::format("     = {}; {} Machines (at most {}), {} available (at least {})",
                      state.empty() ? "nothing" : state, total(), now.most, available(), now.least);
  if (state == last_state_) return;
  last_state_ = state;
  log_.push_back(state);
}

}  // namespace capstan::scenarios
