#include "test/envtest/drain_history.h"

#include <algorithm>
#include <iterator>
#include <set>

namespace capstan::envtest {

std::vector<PodEvent> events_before(const std::vector<PodEvent>& events, std::uint64_t version) {
  std::vector<PodEvent> before;
  std::ranges::copy_if(events, std::back_inserter(before),
                       [&](const PodEvent& event) { return event.version < version; });
  return before;
}

std::map<std::string, AppHistory> history_of(const std::vector<PodEvent>& events,
                                             const std::map<std::string, std::size_t>& complete) {
  std::map<std::string, AppHistory> histories;
  std::map<std::string, std::set<std::string>> healthy;
  std::set<std::string> counted;
  for (const PodEvent& event : events) {
    const auto wanted = complete.find(event.app);
    if (wanted == complete.end()) continue;
    auto& now = healthy[event.app];
    if (event.healthy()) {
      now.insert(event.name);
    } else {
      now.erase(event.name);
    }
    AppHistory& history = histories[event.app];
    const bool begun = history.most >= wanted->second;
    history.most = std::max(history.most, now.size());
    if (begun && event.deleting && counted.insert(event.name).second) ++history.left;
    if (begun && now.size() >= history.fewest) continue;
    history.fewest = now.size();
    history.fewest_at = event.name;
  }
  return histories;
}

}  // namespace capstan::envtest
