// How long an API server waits for a review, in peace and while hostile clients knock at the same port; what
// the attack costs the manager in memory, and what a kubelet's probe sees of it.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <stdexcept>

#include "test/bench/bench_fleet.h"
#include "test/bench/hostile_peers.h"
#include "test/bench/review_callers.h"
#include "test/bench/webhook_ground.h"

namespace capstan::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr int kCallers = 50;
constexpr auto kReviewEvery = milliseconds(100);  // of each caller: 500 a second together
constexpr auto kProbeEvery = milliseconds(20);
constexpr auto kSampleEvery = milliseconds(50);
constexpr auto kPeacefulFor = seconds(20);
constexpr int kMachinesOfSlowReader = 20;

// A call that failed took no time that could be compared: then there is no figure.
double p99_of(std::string_view what, const Calls& calls) {
  if (calls.milliseconds.empty()) throw std::runtime_error(fmt::format("no {} was asked for", what));
  say(fmt::format(
      "{}: {} calls, {} on a second connection, {} failed, ms p50 {:.2f} p90 {:.2f} p99 {:.2f} most {:.2f}",
      what, calls.milliseconds.size(), calls.again, calls.failed, calls.percentile(50), calls.percentile(90),
      calls.percentile(99), calls.percentile(100)));
  if (calls.failed == 0) return calls.percentile(99);
  throw std::runtime_error(fmt::format("{} of {} {} calls failed, first: {}", calls.failed,
                                       calls.milliseconds.size(), what, calls.first_failure));
}

}  // namespace

double webhook_admission_p99_ms(const Place& place) {
  const WebhookGround ground(place);
  const SystemClock clock;
  SystemThreads threads;
  ReviewCallers callers(ground.reviews(), kCallers, kReviewEvery);
  threads.pause(Deadline::in(clock, kPeacefulFor));
  return p99_of("review", callers.stop());
}

Values webhook_costs_under_attack(const Place& place) {
  const WebhookGround ground(place);
  const double before = ground.manager_resident_mb();
  HostileProcess hostile(
      {.port = ground.webhook_port(), .path = "/convert", .body = conversion_review(kMachinesOfSlowReader)});
  const SystemClock clock;
  SystemThreads threads;
  ReviewCallers callers(ground.reviews(), kCallers, kReviewEvery);
  ProbeCaller probes(ground.probe_port(), kProbeEvery);
  double most = before;
  while (!hostile.has_ended()) {
    most = std::max(most, ground.manager_resident_mb());
    threads.pause(Deadline::in(clock, kSampleEvery));
  }
  const Calls reviews = callers.stop();
  const Calls probed = probes.stop();
  say(fmt::format("resident: {:.1f} MB before, {:.1f} MB at most", before, most));
  const double probe_p99 = p99_of("probe", probed);
  return {{"webhook.hostile_p99_ms", p99_of("review", reviews)},
          {"webhook.hostile_mb", most - before},
          {"probe.p99_ms", probe_p99}};
}

}  // namespace capstan::bench
