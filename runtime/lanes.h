// Whose turn is it: the ready keys of a queue by priority, and within one priority by lane, lanes taking
// turns. One turn in sixteen goes to the lowest priority that has work, so that a busy day never starves it.
// Not thread-safe: runtime/queue.h owns one under its lock.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <string_view>
#include <unordered_map>

namespace capstan::runtime {

// Low is what an initial list brings: work that no event asked for.
enum class Priority { Low, Normal, High };
std::string_view to_string(Priority priority);

struct QueueEntry;

class Lanes {
 public:
  // Where an entry stands; needed to take it out again.
  struct Place {
    Priority priority = Priority::Normal;
    std::size_t lane = 0;
    std::list<QueueEntry*>::iterator at = {};
  };

  Place push(QueueEntry& entry, Priority priority, std::size_t lane);
  void remove(const Place& place);
  QueueEntry* pop();  // nullptr: nothing is ready

  std::size_t size() const { return size_; }
  std::size_t size(Priority priority) const { return levels_[static_cast<std::size_t>(priority)].size; }

 private:
  struct Lane {
    std::list<QueueEntry*> entries = {};
    bool in_turn = false;
  };
  struct Level {
    std::unordered_map<std::size_t, Lane> lanes = {};
    std::deque<std::size_t> turns = {};  // every lane that had entries, once; the first is next
    std::size_t size = 0;
  };

  Level& next_level();
  static QueueEntry* pop(Level& level);

  std::array<Level, 3> levels_ = {};
  std::size_t size_ = 0;
  std::uint64_t pops_ = 0;
};

}  // namespace capstan::runtime
