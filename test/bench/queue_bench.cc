// How many keys a second pass through queue, gate and a reconciler that does nothing, on one core.
#include <sched.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "runtime/controller.h"
#include "test/bench/figure.h"
#include "test/bench/idle_client.h"

namespace capstan::bench {
namespace {

constexpr int kKeys = 100000;
constexpr int kRounds = 5;
constexpr int kNamespaces = 100;

class Nothing final : public runtime::Reconciler {
 public:
  explicit Nothing(Signal& done) : done_(done) {}
  Result<runtime::Outcome> reconcile(const runtime::Context&, const runtime::ObjectKey&) override {
    if (turns_.fetch_add(1) + 1 == wanted_) done_.notify();
    return runtime::Outcome::done();
  }
  void expect(std::int64_t wanted) { wanted_ = wanted; }
  std::int64_t turns() const { return turns_; }

 private:
  Signal& done_;
  std::atomic<std::int64_t> turns_ = 0;
  std::atomic<std::int64_t> wanted_ = 0;
};

void stay_on_one_core() {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(0, &one);
  if (sched_setaffinity(0, sizeof one, &one) != 0) throw std::runtime_error("can't be kept on one core");
}

std::vector<runtime::ObjectKey> keys() {
  std::vector<runtime::ObjectKey> all;
  for (int i = 0; i < kKeys; ++i)
    all.push_back(
        {.namespace_ = "fleet-" + std::to_string(i % kNamespaces), .name = "machine-" + std::to_string(i)});
  return all;
}

}  // namespace

double queue_keys_per_second(const Place&) {
  stay_on_one_core();
  SystemClock clock;
  SystemThreads threads;
  SystemRandomness randomness;
  IdleClient client;
  Signal done;
  Nothing reconciler(done);
  runtime::Controller controller(
      {.clock = clock, .threads = threads, .client = client, .randomness = randomness},
      {.name = "bench", .kind = "Machine", .concurrency = 10, .queue = {}}, reconciler);
  controller.start();
  const auto all = keys();
  const SteadyTime begun = clock.steady_now();
  for (int round = 1; round <= kRounds; ++round) {
    reconciler.expect(std::int64_t{kKeys} * round);
    for (const auto& key : all) controller.queue().add(key);
    threads.wait_until(done, Deadline::in(clock, std::chrono::seconds(60)),
                       [&] { return reconciler.turns() >= std::int64_t{kKeys} * round; });
  }
  const double seconds = std::chrono::duration<double>(clock.steady_now() - begun).count();
  controller.stop();
  if (reconciler.turns() != std::int64_t{kKeys} * kRounds)
    throw std::runtime_error("not every key had its turn");
  return kKeys * kRounds / seconds;
}

}  // namespace capstan::bench
