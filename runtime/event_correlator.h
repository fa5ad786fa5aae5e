// What becomes of an Event before it is sent, with client-go's rules: the same event again is counted up,
// many similar ones of one object become one ("combined from similar events"), and an object that talks too
// much is cut short. Pure but for its memory, which is bounded; not thread-safe, runtime/events.h owns one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "api/core/event.h"
#include "base/clock.h"

namespace capstan::runtime {

struct CorrelatorLimits {
  std::size_t remembered = 4096;  // keys of each rule; the oldest is forgotten
  std::size_t similar = 10;       // more different messages than this are combined
  Nanoseconds similar_within = std::chrono::minutes(10);
  int burst = 25;                                // per source and object
  Nanoseconds refill = std::chrono::minutes(5);  // one more
};

class EventCorrelator {
 public:
  explicit EventCorrelator(CorrelatorLimits limits = {}) : limits_(limits) {}

  struct Correlated {
    api::Event event = {};
    bool is_new =
        true;  // to be created; otherwise count, lastTimestamp and message of `event` are to be patched
  };
  // Nothing: the object has talked too much.
  std::optional<Correlated> correlate(api::Event event, SteadyTime now);
  // The server has it: the next one of these is counted up on this object.
  void sent(const Correlated& what);

 private:
  // Events are distinguished by a hash of what makes them alike: texts would be megabytes, and two of a few
  // thousand that meet in 64 bits cost no more than one Event counted on another.
  using Key = std::uint64_t;

  // A bounded map: what was not asked for longest goes first.
  template <typename Value>
  class Memory {
   public:
    Value& at(Key key, std::size_t limit) {
      if (const auto found = places_.find(key); found != places_.end()) {
        order_.splice(order_.begin(), order_, found->second);
        return found->second->second;
      }
      order_.emplace_front(key, Value());
      places_.emplace(key, order_.begin());
      if (places_.size() > limit) {
        places_.erase(order_.back().first);
        order_.pop_back();
      }
      return order_.front().second;
    }

   private:
    std::list<std::pair<Key, Value>> order_;
    std::unordered_map<Key, typename std::list<std::pair<Key, Value>>::iterator> places_;
  };
  struct Bucket {
    std::optional<double> tokens = {};
    SteadyTime filled = {};
  };
  struct Similar {
    std::set<Key> messages = {};
    SteadyTime last = {};
  };
  struct Counted {
    std::int32_t count = 0;
    Time first = {};
    Text name = {};
  };

  static Key object_of(const api::Event& event);
  static Key kind_of(const api::Event& event);
  static Key whole(const api::Event& event, bool combined);
  bool may_talk(const api::Event& event, SteadyTime now);
  bool is_combined(const api::Event& event, SteadyTime now);

  CorrelatorLimits limits_;
  Memory<Bucket> buckets_;
  Memory<Similar> similar_;
  Memory<Counted> counted_;
};

}  // namespace capstan::runtime
