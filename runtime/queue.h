// The work queue of one controller: keys, never events. A key is in it once; what is running is held, not
// lost; of two times to come back the earlier wins. Each key keeps its pace (the first event acts at once,
// later ones are gathered) and its own backoff; lanes (namespaces by default) take turns; events of an
// initial list stand behind what happens now. Safe from any thread: add() by informers and timers, take() and
// finish() by the workers of runtime/controller.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/threads.h"
#include "kube/resource.h"
#include "runtime/lanes.h"

namespace capstan::runtime {

using kube::ObjectKey;

struct QueueOptions {
  Nanoseconds pace = {};  // between the starts of two reconciles of one key
  Backoff backoff = {.initial = std::chrono::milliseconds(5), .cap = std::chrono::seconds(1000)};
  std::function<std::size_t(const ObjectKey&)> lane =
      {};  // keys of one lane share its turn; empty: by namespace
};

struct Taken {
  ObjectKey key = {};
  Priority priority = Priority::Normal;
  Nanoseconds waited = {};     // since it could have been taken
  std::uint32_t failures = 0;  // in a row, before this turn
  bool nobody_idle = false;    // all who wait for work have some: one more worker would be welcome
};

// What becomes of a key after its turn.
struct Next {
  bool failed = false;                    // back off, longer each time in a row
  std::optional<Nanoseconds> after = {};  // come back so long from now; with `failed`: no sooner
  Nanoseconds quiet = {};                 // until then events of this key are gathered, too
  bool skipped = false;                   // it was no turn after all: failures and pace stay as they were
};

// One key, for people (/debug).
struct KeyState {
  enum class Where { Running, Ready, Waiting };
  ObjectKey key = {};
  Where where = Where::Ready;
  Priority priority = Priority::Normal;
  Nanoseconds span = {};  // running or ready for so long; waiting: due in so long
  std::uint32_t failures = 0;
  bool again = false;  // running, and another turn was asked for
};
std::string_view to_string(KeyState::Where where);

// What the queue knows of one key.
struct QueueEntry {
  enum class State { Idle, Waiting, Ready, Running };

  const ObjectKey* key = nullptr;  // in the map that holds this entry
  State state = State::Idle;
  Priority priority = Priority::Normal;
  std::uint32_t failures = 0;
  std::size_t lane = 0;
  Lanes::Place place = {};                  // while ready
  SteadyTime timer_at = SteadyTime::max();  // max: none
  std::uint64_t timer_number = 0;
  SteadyTime not_before = {};            // its pace
  SteadyTime since = {};                 // ready or running
  std::optional<SteadyTime> again = {};  // asked for while running
};

class Queue {
 public:
  Queue(const Clock& clock, Threads& threads, QueueOptions options);  // both live longer
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void add(const ObjectKey& key, Priority priority = Priority::Normal) { add_after(key, {}, priority); }
  void add_after(const ObjectKey& key, Nanoseconds delay, Priority priority = Priority::Normal);

  // The next key, held until finish(). Blocks until there is one; nothing when the deadline passes, its stop
  // token is triggered or the queue is closed; or when there was no work for so long as `patience` while two
  // others wait for it as well: there is one too many.
  std::optional<Taken> take(const Deadline& deadline, Nanoseconds patience = Nanoseconds::max());
  void finish(const ObjectKey& key, const Next& next);

  // No key is given out any more; every worker that waits returns.
  void close();

  struct Counts {
    std::size_t ready[3] = {};  // by Priority
    std::size_t waiting = 0;
    std::size_t running = 0;
    std::uint64_t adds = 0;     // turns asked for, each counted once however often it was asked for, ever
    std::uint64_t retries = 0;  // turns that ended in failure, ever
  };
  Counts counts() const;
  // At most `limit` keys: running ones first, then ready, then waiting; each group by name.
  std::vector<KeyState> keys(std::size_t limit) const;

 private:
  // A worker that waits in take(). Kept for reuse: making a condition variable allocates.
  struct Hand {
    Signal signal{"work in the queue"};
    bool listed = false;
  };
  using Timer = std::tuple<SteadyTime, std::uint64_t, QueueEntry*>;
  struct Inside {
    std::unordered_map<ObjectKey, QueueEntry> entries = {};
    std::set<Timer> timers = {};  // of waiting entries, and of idle ones that only remember their pace
    Lanes lanes = {};
    std::uint64_t timer_count = 0;
    std::size_t running = 0;
    std::uint64_t adds = 0;
    std::uint64_t retries = 0;
    std::vector<std::unique_ptr<Hand>> hands = {};
    std::vector<Hand*> spare = {};
    std::vector<Hand*> idle = {};                  // the first keeps the time, the last is called first
    SteadyTime watched_until = SteadyTime::max();  // when the keeper of the time wakes by itself
    bool calling = false;                          // a worker was called and has not come yet
    bool closed = false;
  };
  // What take() found: a key, or how long to wait for one and where.
  struct Look {
    std::optional<Taken> taken = {};
    bool closed = false;
    Hand* call = nullptr;  // to be notified outside of the lock
    std::uint64_t seen = 0;
    SteadyTime until = SteadyTime::max();
  };

  Look look(Hand*& me);
  void stop_waiting(Hand* me);
  bool leave_if_too_many(Hand*& me);
  void settle(Inside& inside, QueueEntry& entry, const Next& next, SteadyTime now) const;
  std::size_t lane_of(const ObjectKey& key) const;

  static Taken start(Inside& inside, QueueEntry& entry, SteadyTime now);
  static void request(Inside& inside, QueueEntry& entry, SteadyTime at, Priority priority, SteadyTime now);
  static void make_ready(Inside& inside, QueueEntry& entry, Priority priority, SteadyTime now);
  static void promote(Inside& inside, SteadyTime now);
  static void set_timer(Inside& inside, QueueEntry& entry, SteadyTime at);
  static void drop_timer(Inside& inside, QueueEntry& entry);
  static void list(Inside& inside, Hand*& me);
  static void unlist(Inside& inside, Hand*& me);
  static Hand* whom_to_call(Inside& inside, const Hand* but);

  const Clock& clock_;
  Threads& threads_;
  const QueueOptions options_;
  Guarded<Inside> inside_;
};

}  // namespace capstan::runtime
