#include "runtime/leader.h"

#include <algorithm>

#include "api/names.h"
#include "base/hash.h"
#include "base/try.h"
#include "kube/typed.h"

namespace capstan::runtime {
namespace {

constexpr auto kGiveBackLimit = std::chrono::seconds(3);

}  // namespace

Leader::Leader(const LeaderDeps& deps, LeaderOptions options, std::function<void()> on_lost)
    : deps_(deps), options_(std::move(options)), on_lost_(std::move(on_lost)) {}

void Leader::start() {
  thread_ = deps_.threads.spawn("leader election", [this](const std::stop_token& stop) { run(stop); });
}

Woken Leader::wait_until_leading(const Deadline& deadline) {
  return deps_.threads.wait_until(changed_, deadline, [this] { return leading(); });
}

bool Leader::leading() const {
  return leading_.with([](const bool& leading) { return leading; });
}

std::optional<std::string> Leader::problem() const {
  if (leading()) return {};
  return problem_.with([](const auto& problem) { return problem; });
}

void Leader::stop() {
  if (!thread_) return;
  thread_->request_stop();
  thread_->join();
  thread_.reset();
  watch_.reset();
  if (leading()) give_back();
}

void Leader::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    // A request must not outlive our right to lead.
    Deadline limit = Deadline::in(deps_.clock, options_.times.renew_deadline, stop);
    if (state_.renewed_at) limit = limit.no_later_than(*state_.renewed_at + options_.times.renew_deadline);
    const auto ours = try_once(limit);
    problem_.with(
        [&](auto& problem) { problem = ours ? std::nullopt : std::optional(ours.error().describe()); });
    if (!ours && ours.error().code != Code::Cancelled)
      deps_.log.info("leader election failed, will try again",
                     {{"lease", options_.lease}, {"error", ours.error()}});
    const bool taken = ours && !*ours && leading();
    if (taken || lost(state_, deps_.clock.steady_now(), options_.times)) {
      leading_.with([](bool& leading) { leading = false; });
      deps_.log.error("leadership lost", {{"lease", options_.lease}});
      return on_lost_();
    }
    watch_or_not(ours && !*ours);
    wait_for_next_look(stop);
  }
}

void Leader::watch_or_not(bool waiting) {
  if (leading()) watch_.reset();
  if (waiting && !watch_)
    watch_.emplace(deps_.threads, deps_.clock, deps_.client, options_.lease, hash_bytes(options_.identity));
}

void Leader::wait_for_next_look(const std::stop_token& stop) {
  const SteadyTime looked = deps_.clock.steady_now();
  Signal time("time");
  Signal& news = watch_ ? watch_->news() : time;
  for (;;) {
    const std::uint64_t seen = news.count();
    if (watch_ && hears_of_a_free_lease()) return;
    const bool watching = watch_ && watch_->hears();
    const Deadline next{.at = next_look(state_, looked, watching, options_.times), .stop = stop};
    if (deps_.threads.wait(news, seen, next) != Woken::Notified) return;
  }
}

bool Leader::hears_of_a_free_lease() {
  const auto heard = watch_->take();
  if (!heard) return false;
  const api::Lease* lease = heard->lease ? &*heard->lease : nullptr;
  const auto step = look_at_lease(state_, options_.identity, lease, heard->at, options_.times);
  if (step.kind != ElectionStep::Kind::Wait) return true;
  note_holder(*lease);
  return false;
}

void Leader::note_holder(const api::Lease& lease) {
  const std::string holder = lease.spec.holder_identity.str();
  if (std::exchange(noted_holder_, holder) == holder) return;
  deps_.log.info(why_waiting(lease, options_.version), {{"lease", options_.lease},
                                                        {"holder", holder},
                                                        {"version", noted_version(lease)},
                                                        {"ours", options_.version}});
}

Result<bool> Leader::try_once(const Deadline& deadline) {
  const auto lease = kube::get<api::Lease>(deps_.client, options_.lease, deadline);
  if (!lease && lease.error().code != Code::NotFound) return Failure(lease.error());
  const api::Lease* before = lease ? &*lease : nullptr;
  const auto step =
      look_at_lease(state_, options_.identity, before, deps_.clock.steady_now(), options_.times);
  if (step.kind == ElectionStep::Kind::Wait) {
    note_holder(*before);
    return false;
  }
  const SteadyTime sent = deps_.clock.steady_now();
  TRY(write(step, before, deadline));
  won(state_, sent);
  const bool first = leading_.with([](bool& leading) { return !std::exchange(leading, true); });
  if (first) {
    deps_.log.info("leading", {{"lease", options_.lease}, {"identity", options_.identity}});
    changed_.notify();
  }
  return true;
}

Result<void> Leader::write(const ElectionStep& step, const api::Lease* before, const Deadline& deadline) {
  api::Lease lease = before != nullptr ? *before : api::Lease{};
  lease.spec = claimed(step, before != nullptr ? &before->spec : nullptr, options_.identity,
                       deps_.clock.now(), options_.times);
  lease.metadata.annotations.set(api::annotation::kElectionScope,
                                 scope_note(options_.scope, options_.identity, options_.version));
  if (before == nullptr) {
    lease.metadata.namespace_ = Text(options_.lease.namespace_);
    lease.metadata.name = Text(options_.lease.name);
    TRY(kube::create(deps_.client, lease, {}, deadline));
    return {};
  }
  // A PUT with the version we read: two candidates can't both win.
  TRY(deps_.client.replace(kube::resource_of<api::Lease>(), options_.lease, api::to_json(lease), "", {},
                           deadline));
  return {};
}

void Leader::give_back() {
  const Deadline limit = Deadline::in(deps_.clock, kGiveBackLimit);
  auto lease = kube::get<api::Lease>(deps_.client, options_.lease, limit);
  leading_.with([](bool& leading) { leading = false; });
  if (!lease || lease->spec.holder_identity.view() != options_.identity) return;
  lease->spec = released(lease->spec, deps_.clock.now());
  const auto done = deps_.client.replace(kube::resource_of<api::Lease>(), options_.lease,
                                         api::to_json(*lease), "", {}, limit);
  if (!done) deps_.log.info("the lease could not be given back", {{"error", done.error()}});
}

}  // namespace capstan::runtime
