#include "runtime/queue.h"

#include <algorithm>
#include <cassert>
#include <functional>
#include <string>

namespace capstan::runtime {
namespace {

constexpr Nanoseconds kLongestDelay = std::chrono::hours(24 * 365);
// Keys that only remember their pace are forgotten all together, when a second ends: one is worth no waking.
using Forgetting = std::chrono::seconds;
// So many may wait as long as they like: one takes the next key, another is there when it does.
constexpr std::size_t kSpare = 2;

}  // namespace

using State = QueueEntry::State;

Queue::Queue(const Clock& clock, Threads& threads, QueueOptions options)
    : clock_(clock), threads_(threads), options_(std::move(options)) {}

Queue::~Queue() = default;

void Queue::add_after(const ObjectKey& key, Nanoseconds delay, Priority priority) {
  const SteadyTime now = clock_.steady_now();
  const std::size_t lane = lane_of(key);
  Hand* const call = inside_.with([&](Inside& inside) -> Hand* {
    if (inside.closed) return nullptr;
    const auto [at, is_new] = inside.entries.try_emplace(key);
    if (is_new) at->second.key = &at->first;
    at->second.lane = lane;
    request(inside, at->second, now + std::min(delay, kLongestDelay), priority, now);
    return whom_to_call(inside, nullptr);
  });
  if (call != nullptr) call->signal.notify();
}

std::optional<Taken> Queue::take(const Deadline& deadline, Nanoseconds patience) {
  Hand* me = nullptr;
  const SteadyTime bored =
      patience == Nanoseconds::max() ? SteadyTime::max() : clock_.steady_now() + patience;
  for (;;) {
    if (deadline.stopped()) break;
    Look found = look(me);
    if (found.call != nullptr) found.call->signal.notify();
    if (found.taken) return std::move(found.taken);
    if (found.closed) break;
    const SteadyTime now = clock_.steady_now();
    if (now >= bored && leave_if_too_many(me)) return std::nullopt;
    const SteadyTime until = now >= bored ? found.until : std::min(found.until, bored);
    const Woken woken = threads_.wait(me->signal, found.seen, deadline.no_later_than(until));
    if (woken != Woken::Notified && deadline.passed(clock_.steady_now())) break;
  }
  stop_waiting(me);
  return std::nullopt;
}

void Queue::finish(const ObjectKey& key, const Next& next) {
  const SteadyTime now = clock_.steady_now();
  Hand* const call = inside_.with([&](Inside& inside) -> Hand* {
    const auto at = inside.entries.find(key);
    assert(at != inside.entries.end() && at->second.state == State::Running && "finish() follows take()");
    --inside.running;
    settle(inside, at->second, next, now);
    return whom_to_call(inside, nullptr);
  });
  if (call != nullptr) call->signal.notify();
}

void Queue::close() {
  const std::vector<Hand*> waiting = inside_.with([](Inside& inside) {
    inside.closed = true;
    return inside.idle;
  });
  for (Hand* hand : waiting) hand->signal.notify();
}

// One look at the queue by a worker that may wait: `me` is where, once there was nothing.
Queue::Look Queue::look(Hand*& me) {
  const SteadyTime now = clock_.steady_now();
  return inside_.with([&](Inside& inside) {
    if (me != nullptr && !me->listed) inside.calling = false;  // called, and here I am
    if (inside.closed) return Look{.closed = true};
    promote(inside, now);

    Look found;
    const bool keeps_time = me != nullptr && inside.idle.size() > 1 && inside.idle.front() == me;
    if (inside.lanes.size() > 0 &&
        !keeps_time) {  // the keeper of the time works only when no other worker is idle
      unlist(inside, me);
      found.taken = start(inside, *inside.lanes.pop(), now);
      found.call = whom_to_call(inside, nullptr);
      found.taken->nobody_idle = inside.idle.empty();
      return found;
    }
    list(inside, me);
    found.call = whom_to_call(inside, me);
    found.seen = me->signal.count();
    if (inside.idle.front() == me) {
      inside.watched_until = inside.timers.empty() ? SteadyTime::max() : std::get<0>(*inside.timers.begin());
      found.until = inside.watched_until;
    }
    return found;
  });
}

void Queue::list(Inside& inside, Hand*& me) {
  if (me == nullptr && inside.spare.empty()) {
    me = inside.hands.emplace_back(std::make_unique<Hand>()).get();
  } else if (me == nullptr) {
    me = inside.spare.back();
    inside.spare.pop_back();
  }
  if (me->listed) return;
  me->listed = true;
  inside.idle.push_back(me);
}

void Queue::unlist(Inside& inside, Hand*& me) {
  if (me == nullptr) return;
  if (me->listed) {
    if (inside.idle.front() == me) inside.watched_until = SteadyTime::max();
    std::erase(inside.idle, me);
    me->listed = false;
  }
  inside.spare.push_back(me);
  me = nullptr;
}

// A worker gives up waiting: the time must be kept, and a call meant for it must reach another.
void Queue::stop_waiting(Hand* me) {
  if (me == nullptr) return;
  Hand* const call = inside_.with([&](Inside& inside) -> Hand* {
    if (!me->listed) inside.calling = false;
    unlist(inside, me);
    return whom_to_call(inside, nullptr);
  });
  if (call != nullptr) call->signal.notify();
}

// A worker may go when it was not called, nothing is to be done and another one waits; that one keeps the
// time.
bool Queue::leave_if_too_many(Hand*& me) {
  Hand* call = nullptr;
  const bool left = inside_.with([&](Inside& inside) {
    if (!me->listed || inside.idle.size() <= kSpare || inside.lanes.size() > 0) return false;
    unlist(inside, me);
    call = whom_to_call(inside, nullptr);
    return true;
  });
  if (call != nullptr) call->signal.notify();
  return left;
}

// One at a time: the worker that comes calls the next. Without work to hand out, the keeper of the time when
// it would sleep too long.
Queue::Hand* Queue::whom_to_call(Inside& inside, const Hand* but) {
  if (inside.idle.empty()) return nullptr;
  if (inside.lanes.size() > 0 && !inside.calling && inside.idle.back() != but) {
    Hand* const called = inside.idle.back();
    inside.idle.pop_back();
    called->listed = false;
    inside.calling = true;
    if (inside.idle.empty()) inside.watched_until = SteadyTime::max();
    return called;
  }
  if (inside.timers.empty() || inside.idle.front() == but) return nullptr;
  const SteadyTime due = std::get<0>(*inside.timers.begin());
  if (due >= inside.watched_until) return nullptr;
  inside.watched_until = due;
  return inside.idle.front();
}

Taken Queue::start(Inside& inside, QueueEntry& entry, SteadyTime now) {
  Taken taken{.key = *entry.key,
              .priority = entry.priority,
              .waited = std::max(now - entry.since, Nanoseconds::zero()),
              .failures = entry.failures};
  entry.state = State::Running;
  entry.since = now;
  entry.again.reset();
  ++inside.running;
  return taken;
}

// The key shall have a turn at `at`, its pace permitting.
void Queue::request(Inside& inside, QueueEntry& entry, SteadyTime at, Priority priority, SteadyTime now) {
  if (entry.state == State::Running) {
    entry.again = std::min(at, entry.again.value_or(SteadyTime::max()));
    entry.priority = std::max(priority, entry.priority);
    return;
  }
  if (entry.state == State::Ready) {
    if (at > now || priority <= entry.priority) return;
    const SteadyTime since = entry.since;
    inside.lanes.remove(entry.place);
    make_ready(inside, entry, priority, since);
    return;
  }
  at = std::max(at, entry.not_before);
  if (entry.state == State::Waiting) {
    at = std::min(at, entry.timer_at);
    priority = std::max(priority, entry.priority);
  } else {
    ++inside.adds;
  }
  drop_timer(inside, entry);
  if (at <= now) return make_ready(inside, entry, priority, now);
  entry.state = State::Waiting;
  entry.priority = priority;
  set_timer(inside, entry, at);
}

void Queue::make_ready(Inside& inside, QueueEntry& entry, Priority priority, SteadyTime now) {
  entry.state = State::Ready;
  entry.priority = priority;
  entry.since = now;
  entry.place = inside.lanes.push(entry, priority, entry.lane);
}

// After a turn: back into the queue, or idle until the pace is forgotten, or gone.
void Queue::settle(Inside& inside, QueueEntry& entry, const Next& next, SteadyTime now) const {
  if (!next.skipped) entry.not_before = entry.since + options_.pace;
  if (next.quiet > Nanoseconds::zero()) entry.not_before = std::max(entry.not_before, now + next.quiet);
  if (!next.skipped) entry.failures = next.failed ? entry.failures + 1 : 0;
  if (next.failed) ++inside.retries;
  entry.state = State::Idle;

  std::optional<SteadyTime> at = entry.again;
  if (next.failed || next.after) {
    Nanoseconds delay = std::min(next.after.value_or(Nanoseconds::zero()), kLongestDelay);
    if (next.failed) delay = std::max(delay, options_.backoff.delay(static_cast<int>(entry.failures)));
    at = std::min(now + delay, at.value_or(SteadyTime::max()));
  }
  entry.again.reset();
  if (at) return request(inside, entry, *at, entry.priority, now);
  if (entry.not_before > now)
    return set_timer(inside, entry, std::chrono::ceil<Forgetting>(entry.not_before));
  inside.entries.erase(*entry.key);
}

void Queue::promote(Inside& inside, SteadyTime now) {
  while (!inside.timers.empty() && std::get<0>(*inside.timers.begin()) <= now) {
    QueueEntry& entry = *std::get<2>(*inside.timers.begin());
    const SteadyTime due = entry.timer_at;
    drop_timer(inside, entry);
    if (entry.state == State::Waiting) {
      make_ready(inside, entry, entry.priority, due);
    } else {
      inside.entries.erase(*entry.key);
    }
  }
}

void Queue::set_timer(Inside& inside, QueueEntry& entry, SteadyTime at) {
  drop_timer(inside, entry);
  entry.timer_at = at;
  entry.timer_number = ++inside.timer_count;
  inside.timers.emplace(at, entry.timer_number, &entry);
}

void Queue::drop_timer(Inside& inside, QueueEntry& entry) {
  if (entry.timer_at == SteadyTime::max()) return;
  inside.timers.erase({entry.timer_at, entry.timer_number, &entry});
  entry.timer_at = SteadyTime::max();
}

std::size_t Queue::lane_of(const ObjectKey& key) const {
  return options_.lane ? options_.lane(key) : std::hash<std::string>{}(key.namespace_);
}

Queue::Counts Queue::counts() const {
  return inside_.with([](const Inside& inside) {
    Counts counts{.running = inside.running, .adds = inside.adds, .retries = inside.retries};
    for (const Priority priority : {Priority::Low, Priority::Normal, Priority::High}) {
      counts.ready[static_cast<std::size_t>(priority)] = inside.lanes.size(priority);
    }
    for (const auto& [at, number, entry] : inside.timers)
      counts.waiting += entry->state == State::Waiting ? 1 : 0;
    return counts;
  });
}

std::vector<KeyState> Queue::keys(std::size_t limit) const {
  std::vector<KeyState> all = inside_.with([&](const Inside& inside) {
    const SteadyTime now = clock_.steady_now();
    std::vector<KeyState> keys;
    for (const auto& [key, entry] : inside.entries) {
      KeyState state{.key = key,
                     .priority = entry.priority,
                     .failures = entry.failures,
                     .again = entry.again.has_value()};
      switch (entry.state) {
        case State::Idle: continue;
        case State::Running: state.where = KeyState::Where::Running; break;
        case State::Ready: state.where = KeyState::Where::Ready; break;
        case State::Waiting: state.where = KeyState::Where::Waiting; break;
      }
      state.span = entry.state == State::Waiting ? entry.timer_at - now : now - entry.since;
      keys.push_back(std::move(state));
    }
    return keys;
  });
  const auto order = [](const KeyState& state) { return std::tie(state.where, state.key); };
  const auto end = all.begin() + static_cast<std::ptrdiff_t>(std::min(limit, all.size()));
  std::ranges::partial_sort(all, end, {}, order);
  all.erase(end, all.end());
  return all;
}

std::string_view to_string(KeyState::Where where) {
  switch (where) {
    case KeyState::Where::Running: return "running";
    case KeyState::Where::Ready: return "ready";
    case KeyState::Where::Waiting: return "waiting";
  }
  return "ready";
}

}  // namespace capstan::runtime
