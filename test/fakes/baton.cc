#include "test/fakes/baton.h"

#include <fmt/format.h>
#include <sys/time.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "test/fakes/stack.h"

namespace capstan::fakes {
namespace {

constexpr SteadyTime kSteadyStart = SteadyTime(std::chrono::hours(1));
constexpr std::uint32_t kSeamsAfterCrash = 20'000;  // more means that SimulatedCrash was swallowed
constexpr int kStuckSeconds = 60;                   // real time without a switch

struct Process {
  std::string name = {};
  std::size_t threads = 0;
  bool crashed = false;
};

// A simulated thread and what it is parked at.
struct Actor {
  std::size_t id = 0;
  std::string name = {};
  std::shared_ptr<Process> process = {};
  std::stop_source stop = {};
  std::optional<Stack> stack = {};

  std::string_view seam = "start";
  Signal* signal = nullptr;
  std::uint64_t seen = 0;
  const Deadline* deadline = nullptr;
  Actor* joining = nullptr;
  bool done = false;
  bool thrown = false;  // SimulatedCrash is on its way through this stack
  std::uint32_t seams_after_crash = 0;

  bool can_go_on(SteadyTime now) const {
    if (joining != nullptr) return joining->done;
    if (process->crashed || signal == nullptr) return true;
    return signal->count() != seen || deadline->passed(now);
  }
};

thread_local Actor* t_current = nullptr;

std::uint64_t mix(std::uint64_t state) {  // splitmix64
  state += 0x9e3779b97f4a7c15ULL;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9ULL;
  state = (state ^ (state >> 27)) * 0x94d049bb133111ebULL;
  return state ^ (state >> 31);
}

}  // namespace

class Baton::Scheduler {
 public:
  explicit Scheduler(BatonOptions options) : options_(std::move(options)), random_(mix(options_.seed)) {
    // Three temperaments, by seed: fair, sticky, and one that starves some threads.
    constexpr std::uint32_t kSticky[] = {0, 0, 600, 900};
    stays_per_thousand_ = kSticky[draw(std::size(kSticky))];
    starves_ = draw(3) == 0;
  }

  RunReport run(std::function<void()> body) {
    Actor& world = add("world", std::make_shared<Process>(Process{.name = "world"}),
                       [body = std::move(body)](const std::stop_token&) { body(); });
    holder_.store(&world, std::memory_order_relaxed);
    const Watchdog watchdog(*this);
    host_.hand_over(*world.stack);
    t_current = nullptr;
    for (Actor& actor : actors_) actor.stack->release();
    report_.trace_hash = hash_;
    report_.switches = switches_.load(std::memory_order_relaxed);
    report_.elapsed = now_ - kSteadyStart;
    return report_;
  }

  std::unique_ptr<Thread> spawn(std::string name, std::shared_ptr<Process> process, Threads::Body body);

  void join(Actor& target) {
    if (!target.done) {
      Actor& me = current();
      me.joining = &target;
      park(me, "join");
      me.joining = nullptr;
    }
    target.stack->release();
  }

  Woken wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) {
    Actor& me = current();
    if (is_unwinding(me)) return Woken::Stopped;
    me.signal = &signal;
    me.seen = seen;
    me.deadline = &deadline;
    park(me, signal.name());
    me.signal = nullptr;
    me.deadline = nullptr;
    throw_if_crashed(me);
    if (signal.count() != seen) return Woken::Notified;
    return deadline.stopped() ? Woken::Stopped : Woken::TimedOut;
  }

  void yield(std::string_view seam) {
    Actor& me = current();
    if (is_unwinding(me)) return;
    park(me, seam);
    throw_if_crashed(me);
  }

  void crash(std::string_view name) {
    for (Actor* actor : live_) {
      if (actor->process->name == name) actor->process->crashed = true;
    }
    yield("crash");
  }

  bool alive(std::string_view name) const {
    return std::ranges::any_of(live_, [&](const Actor* actor) { return actor->process->name == name; });
  }

  std::uint64_t draw(std::uint64_t bound) {
    random_ = mix(random_);
    return bound == 0 ? 0 : random_ % bound;
  }

  static Actor& current() {
    if (t_current == nullptr) {
      std::fputs("baton: called from a thread that is not simulated\n", stderr);
      std::abort();
    }
    return *t_current;
  }

  SteadyTime now() const { return now_; }
  WallTime wall() const { return options_.start + (now_ - kSteadyStart); }

 private:
  Actor& add(std::string name, std::shared_ptr<Process> process, Threads::Body body) {
    Actor& actor = actors_.emplace_back();
    actor.id = actors_.size();
    actor.name = std::move(name);
    actor.process = std::move(process);
    ++actor.process->threads;
    live_.push_back(&actor);
    actor.stack.emplace(
        [this, &actor, body = std::move(body)]() mutable -> Stack& { return live(actor, std::move(body)); });
    return actor;
  }

  // Returns the actor that goes on when it is over.
  Stack& live(Actor& me, Threads::Body body) {
    t_current = &me;
    try {
      throw_if_crashed(me);
      body(me.stop.get_token());
    } catch (const SimulatedCrash&) {
      // what a crash looks like from outside: the thread is gone
    } catch (const std::exception& error) {
      end(RunReport::End::Died, fmt::format("thread {} died: {}", me.name, error.what()));
    }
    me.thrown = me.process->crashed;  // destroying what the body holds is part of the unwinding
    body = {};
    return leave(me);
  }

  Stack& leave(Actor& me) {
    me.done = true;
    --me.process->threads;
    std::erase(live_, &me);
    note(me, "end");
    if (live_.empty()) return host_;
    Actor& next = choose(nullptr);
    holder_.store(&next, std::memory_order_relaxed);
    return *next.stack;
  }

  void park(Actor& me, std::string_view seam) {
    me.seam = seam;
    switches_.fetch_add(1, std::memory_order_relaxed);
    Actor& next = choose(&me);
    note(next, next.seam);
    if (&next == &me) return;
    holder_.store(&next, std::memory_order_relaxed);
    me.stack->hand_over(*next.stack);
    t_current = &me;
  }

  // The actor that goes on. Moves the clock when none can; ends the run when that does not help either.
  Actor& choose(Actor* me) {
    if (switches_.load(std::memory_order_relaxed) > options_.max_switches)
      end(RunReport::End::TooLong, who_waits());
    if (options_.slips_per_thousand > 0 && draw(1000) < options_.slips_per_thousand) move_clock();
    for (;;) {
      candidates_.clear();
      for (Actor* actor : live_) {
        if (actor->can_go_on(now_) && !lets_younger_go_first(*actor)) candidates_.push_back(actor);
      }
      if (!candidates_.empty()) return pick(me);
      if (move_clock()) continue;
      if (ended_) die("the run was ended, and still nobody can go on", who_waits());
      end(RunReport::End::Deadlock, who_waits());
    }
  }

  // When a process dies the youngest of its threads goes first: one that had joined another goes on to its
  // next seam before it is thrown at, and what it uses until then belongs to older ones.
  bool lets_younger_go_first(const Actor& actor) const {
    if (!actor.process->crashed) return false;
    return std::ranges::any_of(live_, [&](const Actor* other) {
      return other->process == actor.process && other->id > actor.id && other->can_go_on(now_);
    });
  }

  Actor& pick(Actor* me) {
    if (candidates_.size() == 1) return *candidates_.front();
    const bool may_stay = me != nullptr && std::ranges::find(candidates_, me) != candidates_.end();
    if (may_stay && draw(1000) < stays_per_thousand_) return *me;
    Actor* chosen = candidates_[draw(candidates_.size())];
    if (starves_ && mix(options_.seed ^ chosen->id) % 4 == 0 && draw(8) != 0) {
      chosen = candidates_[draw(candidates_.size())];
    }
    return *chosen;
  }

  bool move_clock() {
    SteadyTime next = SteadyTime::max();
    for (const Actor* actor : live_) {
      if (actor->signal != nullptr && actor->deadline->at > now_) next = std::min(next, actor->deadline->at);
    }
    if (next == SteadyTime::max()) return false;
    now_ = next;
    if (now_ - kSteadyStart > options_.max_time) end(RunReport::End::TooLong, who_waits());
    return true;
  }

  // Ends the run: every process crashes, so that every stack unwinds and every thread can be joined.
  void end(RunReport::End how, std::string why) {
    if (ended_) return;
    ended_ = true;
    report_.end = how;
    report_.why = std::move(why);
    for (Actor* actor : live_) actor->process->crashed = true;
  }

  std::string who_waits() const {
    std::string text =
        fmt::format("after {} switches, {} s of virtual time:", switches_.load(std::memory_order_relaxed),
                    std::chrono::duration<double>(now_ - kSteadyStart).count());
    for (const Actor* actor : live_) {
      text += fmt::format("\n  {}/{} ", actor->process->name, actor->name);
      if (actor->joining != nullptr) {
        text += fmt::format("joins {}", actor->joining->name);
      } else if (actor->signal == nullptr) {
        text += fmt::format("can go on at {}", actor->seam);
      } else if (actor->deadline->at == SteadyTime::max()) {
        text += fmt::format("waits for {} without a deadline", actor->seam);
      } else {
        text += fmt::format("waits for {} until {} s from now", actor->seam,
                            std::chrono::duration<double>(actor->deadline->at - now_).count());
      }
    }
    return text;
  }

  void throw_if_crashed(Actor& me) {
    if (!me.process->crashed || me.thrown) return;
    me.thrown = true;
    throw SimulatedCrash{};
  }

  // A crashing stack is not thrown at again and does not give the baton away, except to join.
  bool is_unwinding(Actor& me) {
    if (!me.thrown) return false;
    if (++me.seams_after_crash > kSeamsAfterCrash) die("SimulatedCrash was swallowed by thread", me.name);
    return true;
  }

  void note(const Actor& actor, std::string_view seam) {
    for (const char c : seam) hash_ = (hash_ ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
    hash_ = mix(hash_ ^ actor.id ^ static_cast<std::uint64_t>(now_.time_since_epoch().count()));
    if (!options_.story) return;
    options_.story(fmt::format("{:>10.3f} {}/{}: {}",
                               std::chrono::duration<double>(now_ - kSteadyStart).count(),
                               actor.process->name, actor.name, seam));
  }

  // A real timer: who keeps the baton can't be asked.
  class Watchdog {
   public:
    explicit Watchdog(Scheduler& scheduler) : before_(s_watched.exchange(&scheduler)) {
      std::signal(SIGALRM, [](int) {
        if (Scheduler* const watched = s_watched.load()) watched->look_for_a_switch();
      });
      const itimerval every = {.it_interval = {.tv_sec = kStuckSeconds, .tv_usec = 0},
                               .it_value = {.tv_sec = kStuckSeconds, .tv_usec = 0}};
      ::setitimer(ITIMER_REAL, &every, nullptr);
    }
    ~Watchdog() {
      const itimerval never = {};
      ::setitimer(ITIMER_REAL, &never, nullptr);
      s_watched.store(before_);
    }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

   private:
    static inline std::atomic<Scheduler*> s_watched = nullptr;
    Scheduler* before_;
  };

  void look_for_a_switch() {
    const std::uint64_t now = switches_.load(std::memory_order_relaxed);
    if (std::exchange(switches_before_, now) == now)
      die("somebody keeps the baton (a lock held across a seam, or a real wait)",
          holder_.load(std::memory_order_relaxed)->name);
  }

  [[noreturn]] void die(std::string_view what, std::string_view who) {
    fmt::print(stderr, "baton, seed {}: {}: {}\n", options_.seed, what, who);
    std::abort();
  }

  const BatonOptions options_;
  std::uint64_t random_;
  std::uint32_t stays_per_thousand_ = 0;
  bool starves_ = false;
  SteadyTime now_ = kSteadyStart;
  std::deque<Actor> actors_;  // stable addresses; kept until the end of the run
  std::vector<Actor*> live_;  // in order of birth
  std::vector<Actor*> candidates_;
  std::atomic<std::uint64_t> switches_ = 0;  // these two are read by the watchdog
  std::atomic<Actor*> holder_ = nullptr;
  std::uint64_t switches_before_ = 0;  // its own
  std::uint64_t hash_ = 14695981039346656037ULL;
  bool ended_ = false;
  RunReport report_;
  Stack host_;
};

namespace {

class SimulatedThread final : public Thread {
 public:
  SimulatedThread(Baton::Scheduler& scheduler, Actor& actor) : scheduler_(scheduler), actor_(actor) {}
  ~SimulatedThread() override {
    request_stop();
    join();
  }
  void request_stop() override { actor_.stop.request_stop(); }
  void join() override { scheduler_.join(actor_); }

 private:
  Baton::Scheduler& scheduler_;
  Actor& actor_;
};

}  // namespace

std::unique_ptr<Thread> Baton::Scheduler::spawn(std::string name, std::shared_ptr<Process> process,
                                                Body body) {
  current();
  auto thread =
      std::make_unique<SimulatedThread>(*this, add(std::move(name), std::move(process), std::move(body)));
  yield("spawn");  // a crash here still joins the thread
  return thread;
}

Baton::Baton(BatonOptions options) : scheduler_(std::make_unique<Scheduler>(std::move(options))) {}
Baton::~Baton() = default;

RunReport Baton::run(std::function<void()> body) { return scheduler_->run(std::move(body)); }

std::unique_ptr<Thread> Baton::spawn_process(std::string name, Body body) {
  auto process = std::make_shared<Process>(Process{.name = name});
  return scheduler_->spawn(std::move(name), std::move(process), std::move(body));
}

std::unique_ptr<Thread> Baton::spawn(std::string name, Body body) {
  return scheduler_->spawn(std::move(name), Scheduler::current().process, std::move(body));
}

void Baton::crash(std::string_view process) { scheduler_->crash(process); }
Baton::Who Baton::who() const {
  const Actor& me = Scheduler::current();
  return {.number = me.id, .name = me.name};
}
bool Baton::alive(std::string_view process) const { return scheduler_->alive(process); }
bool Baton::crashing() const { return Scheduler::current().process->crashed; }
std::string_view Baton::process() const { return Scheduler::current().process->name; }
std::uint64_t Baton::draw(std::uint64_t bound) { return scheduler_->draw(bound); }

Woken Baton::wait(Signal& signal, std::uint64_t seen, const Deadline& deadline) {
  return scheduler_->wait(signal, seen, deadline);
}
void Baton::switch_point(std::string_view seam) { scheduler_->yield(seam); }

WallTime Baton::now() const { return scheduler_->wall(); }
SteadyTime Baton::steady_now() const { return scheduler_->now(); }

}  // namespace capstan::fakes
