#include "runtime/lanes.h"

#include <algorithm>

namespace capstan::runtime {
namespace {

constexpr std::uint64_t kTurnOfTheLowest = 16;

}  // namespace

std::string_view to_string(Priority priority) {
  switch (priority) {
    case Priority::Low: return "low";
    case Priority::Normal: return "normal";
    case Priority::High: return "high";
  }
  return "normal";
}

Lanes::Place Lanes::push(QueueEntry& entry, Priority priority, std::size_t lane_id) {
  Level& level = levels_[static_cast<std::size_t>(priority)];
  Lane& lane = level.lanes[lane_id];
  if (!lane.in_turn) {
    lane.in_turn = true;
    level.turns.push_back(lane_id);
  }
  ++level.size;
  ++size_;
  return {.priority = priority, .lane = lane_id, .at = lane.entries.insert(lane.entries.end(), &entry)};
}

// The lane keeps its turn even when it is empty now; pop() passes over it.
void Lanes::remove(const Place& place) {
  Level& level = levels_[static_cast<std::size_t>(place.priority)];
  level.lanes.at(place.lane).entries.erase(place.at);
  --level.size;
  --size_;
}

QueueEntry* Lanes::pop() {
  if (size_ == 0) return nullptr;
  Level& level = next_level();
  --level.size;
  --size_;
  return pop(level);
}

Lanes::Level& Lanes::next_level() {
  const auto has_work = [](const Level& level) { return level.size > 0; };
  if (++pops_ % kTurnOfTheLowest == 0) return *std::ranges::find_if(levels_, has_work);
  return *std::find_if(levels_.rbegin(), levels_.rend(), has_work);
}

QueueEntry* Lanes::pop(Level& level) {
  for (;;) {
    const std::size_t id = level.turns.front();
    level.turns.pop_front();
    Lane& lane = level.lanes.at(id);
    if (lane.entries.empty()) {
      level.lanes.erase(id);
      continue;
    }
    QueueEntry* const entry = lane.entries.front();
    lane.entries.pop_front();
    if (lane.entries.empty()) {
      level.lanes.erase(id);
    } else {
      level.turns.push_back(id);
    }
    return entry;
  }
}

}  // namespace capstan::runtime
