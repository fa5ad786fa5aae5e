#include "agent/agent.h"

#include <algorithm>

#include "agent/connections.h"
#include "agent/memory.h"
#include "agent/places.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "base/try.h"

namespace capstan::agent {
namespace {

constexpr auto kLongestRequest = std::chrono::seconds(20);
constexpr auto kBeforeADownloadIsReported = std::chrono::minutes(1);

WallTime received(const State& state) { return WallTime(std::chrono::seconds(state.certificate_received)); }

}  // namespace

Agent::Agent(AgentDeps deps, AgentOptions options)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      clients_(deps_.dial, deps_.tools.clock, deps_.randomness, deps_.changed) {}

// What fails keeps back as little as can be: without a server the machine is still kept as it is to be.
Round Agent::round(const std::stop_token& stop) {
  round_ = {};
  errors_.clear();
  whole_ = false;
  stop_ = stop;
  if (auto looked = look_around(); !looked) {
    attempt(std::move(looked));
    return round_;
  }
  attempt(renew_certificate());
  if (joined_) attempt(read_own_node());
  if (certificate_.standing != Standing::Missing && certificate_.text != refused_certificate_)
    attempt(read_config());
  if (joined_ && node_) attempt(begin_update());
  attempt(apply(stop));
  if (joined_ && node_) attempt(send_report());
  round_.waiting = round_.waiting || !joined_;
  come_back_to_read();
  return round_;
}

// What should have been read by now and was not is tried again like all else that failed.
void Agent::come_back_to_read() {
  const SteadyTime today = deps_.tools.clock.steady_now();
  const auto next = clients_.next_reading();
  if (!next || *next <= today) return;
  const WallTime then = now() + (*next - today);
  round_.at = std::min(round_.at.value_or(then), then);
}

void Agent::attempt(Result<void> done) {
  if (!done) round_.troubles.push_back(done.error().describe());
}

Result<void> Agent::look_around() {
  const auto text = TRY(root().read(options_.facts_path));
  if (!text) return fail(Code::NotFound, options_.facts_path + ": no such file");
  facts_ = TRY(api::decode<api::AgentFacts>(*text));
  state_ = TRY(load_state(root()));
  TRY(look_at_config());
  joined_ = root().exists(places_.kubeconfig);
  certificate_ = own_certificate(root(), certificate_, received(state_), now());
  if (certificate_.standing != Standing::Missing && certificate_.text == refused_certificate_)
    certificate_.standing = Standing::Past;
  return {};
}

// A file that was spoilt by other hands is like none: the Secret has it.
Result<void> Agent::look_at_config() {
  wanted_.reset();
  if (const auto config = TRY(root().read(kConfigFile)))
    if (auto wanted = read_wanted(*config, machine_facts())) wanted_ = std::move(*wanted);
  places_ = wanted_ ? wanted_->places : usual_places();
  return {};
}

MachineFacts Agent::machine_facts() const {
  const auto content = [&](std::string_view path) {
    return root().read(path).value_or(std::nullopt).value_or("");
  };
  return {.version = state_.version.empty() ? facts_.version.str() : state_.version,
          .running_version = running_version_,
          .users = content("/etc/passwd"),
          .groups = content("/etc/group"),
          .own = deps_.tools.own};
}

Result<kube::Client*> Agent::client(Credential credential) {
  switch (credential) {
    case Credential::Token: return clients_.with(credential, with_token(facts_));
    case Credential::Own: return clients_.with(credential, with_own_certificate(facts_, certificate_.text));
    case Credential::Kubelet: break;
  }
  auto access = TRY(kubelet_access(root(), places_.kubeconfig));
  node_name_ = access.node;
  return clients_.with(credential, access.connection);
}

Deadline Agent::soon() const { return Deadline::in(deps_.tools.clock, kLongestRequest, stop_); }

Result<void> Agent::save(const State& next) {
  if (next == state_) return {};
  TRY(save_state(root(), next, deps_.tools.own));
  state_ = next;
  return {};
}

Result<Disk> Agent::disk() const {
  Disk disk;
  for (const std::string& path : paths_to_look_at(state_, wanted_ ? &*wanted_ : nullptr, places_))
    if (auto facts = TRY(root().facts(path))) disk[path] = std::move(*facts);
  return disk;
}

Result<void> Agent::apply(const std::stop_token& stop) {
  const Disk there = TRY(disk());
  Seen seen{.state = state_,
            .disk = there,
            .wanted = wanted_ ? &*wanted_ : nullptr,
            .places = places_,
            .joined = joined_,
            .facts_path = options_.facts_path,
            .own = deps_.tools.own};
  if (!facts_.token.empty()) {
    api::AgentFacts without = facts_;
    without.token = {};
    seen.facts_without_token = api::encode(without);
    seen.bootstrap_kubeconfig = TRY(bootstrap_kubeconfig(facts_)).reveal();
  }
  take_errors(act(deps_.tools, state_, decide(seen), stop));
  return {};
}

// A download that fails once is tried again before it is reported: the report would keep the change from all
// other Nodes.
void Agent::take_errors(Outcome outcome) {
  state_ = outcome.state;
  whole_ = outcome.is_whole();
  errors_ = outcome.errors;
  for (const auto* list : {&outcome.errors, &outcome.missing})
    round_.troubles.insert(round_.troubles.end(), list->begin(), list->end());
  const SteadyTime today = deps_.tools.clock.steady_now();
  if (outcome.missing.empty()) return missing_since_.reset();
  if (!missing_since_) missing_since_ = today;
  if (today - *missing_since_ >= kBeforeADownloadIsReported)
    errors_.insert(errors_.end(), outcome.missing.begin(), outcome.missing.end());
}

}  // namespace capstan::agent
