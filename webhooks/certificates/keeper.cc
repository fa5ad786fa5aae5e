#include "webhooks/certificates/keeper.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/time.h"
#include "base/try.h"
#include "webhooks/certificates/act.h"
#include "webhooks/certificates/decide.h"
#include "webhooks/certificates/names.h"

namespace capstan::webhooks::certificates {
namespace {

constexpr auto kAtOnce = std::chrono::milliseconds(1);
constexpr auto kAfterConflict = std::chrono::milliseconds(100);

// A replica that fails reads the Secret as often as the former authority is sure to be trusted.
runtime::ControllerOptions controller_options(const Times& times) {
  return {.name = "webhookcertificates",
          .kind = "Secret",
          .concurrency = 1,
          .queue = {.pace = std::chrono::milliseconds(50),
                    .backoff = {.initial = std::chrono::milliseconds(500), .cap = times.settle}}};
}

std::size_t bundles_of(const Observation& seen) {
  std::size_t count = 0;
  for (const Target& target : seen.targets) count += target.bundles.size();
  return count;
}

}  // namespace

Keeper::Keeper(const KeeperDeps& deps, KeeperOptions options, Serve serve)
    : deps_(deps),
      options_(std::move(options)),
      reached_{.namespace_ = options_.namespace_, .hosts = options_.hosts},
      names_(served_names(reached_)),
      secret_{.namespace_ = options_.namespace_, .name = std::string(kSecret)},
      serve_(std::move(serve)),
      watch_(deps.loop, deps.client, deps.log, [this] { look(); }),
      controller_({.clock = deps.clock,
                   .threads = deps.threads,
                   .client = deps.client,
                   .randomness = deps.randomness,
                   .log = deps.log,
                   .metrics = deps.metrics},
                  controller_options(options_.times), *this) {}

void Keeper::start() {
  controller_.queue().add(secret_);
  controller_.start();
  watch_.start();
}

void Keeper::stop() {
  watch_.stop();
  controller_.stop();
}

void Keeper::look() {
  ++changes_;
  controller_.queue().add(secret_);
}

Woken Keeper::wait_until_served(const Deadline& deadline) {
  return deps_.threads.wait_until(
      served_, deadline, [&] { return state_.with([](const State& state) { return state.served; }); });
}

std::optional<std::string> Keeper::problem() const {
  return state_.with([](const State& state) -> std::optional<std::string> {
    if (state.served) return std::nullopt;
    return state.problem;
  });
}

void Keeper::say(std::string problem) {
  state_.with([&](State& state) { state.problem = std::move(problem); });
}

Result<runtime::Outcome> Keeper::reconcile(const runtime::Context& context, const kube::ObjectKey&) {
  auto turn = take_turn(context);
  if (turn) return turn;
  memory_.targets.reset();
  if (turn.error().code == Code::Conflict) return runtime::Outcome::after(kAfterConflict);
  say("no webhook certificate yet: " + turn.error().describe());
  return turn;
}

Result<runtime::Outcome> Keeper::take_turn(const runtime::Context& context) {
  if (const auto changes = changes_.load(); changes != changes_seen_) {
    changes_seen_ = changes;
    memory_.targets.reset();
  }
  const auto observed = TRY(observe({.client = deps_.client,
                                     .clock = deps_.clock,
                                     .deadline = context.deadline,
                                     .secret = secret_,
                                     .reached = reached_,
                                     .times = options_.times},
                                    memory_));
  serve(observed.seen, context.log);
  TRY(observed.targets_read);
  const Plan plan = decide(observed.seen);
  report(observed.seen, plan, context.log);
  TRY(act({.client = deps_.client, .deadline = context.deadline, .secret = secret_, .names = names_},
          observed.seen, plan));
  if (plan.step != Step::Nothing || !plan.outdated.empty()) {
    memory_.targets.reset();
    return runtime::Outcome::after(kAtOnce);
  }
  const Nanoseconds poll = options_.times.poll();
  return runtime::Outcome::after(std::min(poll, plan.again.value_or(poll)));
}

// A certificate with a fault is served only where there is no other, and when it fits its key.
void Keeper::serve(const Observation& seen, const Log& log) {
  if (!seen.stored || !seen.stored->served) return;
  const net::KeyAndCertificate& serving = seen.stored->served->serving;
  if (serving.certificate_pem == serving_pem_) return;
  if (seen.stored->served->serving_fault && !serving_pem_.empty()) return;
  auto tls = net::server_tls({.certificate_pem = serving.certificate_pem,
                              .private_key_pem = serving.private_key_pem,
                              .oldest = options_.oldest_tls});
  if (!tls) return;  // the plan of this turn says why
  serve_(*std::move(tls));
  serving_pem_ = serving.certificate_pem;
  state_.with([](State& state) { state.served = true; });
  served_.notify();
  log.info("webhook certificate is served", {{"until", MicroTime::from(seen.stored->served->serving_ends)}});
}

void Keeper::report(const Observation& seen, const Plan& plan, const Log& log) {
  if (plan.step != Step::Nothing)
    log.info("webhook certificates change", {{"step", plan.step}, {"why", plan.why}});
  for (const std::size_t at : plan.outdated)
    log.info("webhook authority is written", {{"object", seen.targets[at].describe()}});
  const std::size_t behind = plan.outdated.size();
  say(behind > 0 ? fmt::format("{} of {} objects do not name the authority of the webhook certificate yet",
                               behind, seen.targets.size())
                 : fmt::format("API servers get {} to read {} bundles with the authority of the webhook "
                               "certificate",
                               std::chrono::duration_cast<Seconds>(options_.times.settle), bundles_of(seen)));
}

}  // namespace capstan::webhooks::certificates
