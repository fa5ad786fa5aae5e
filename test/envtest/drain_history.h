// What became of Pods, as an observer outside the manager has seen it: a watch, replayed event by event. Says
// whether ever too few of them were healthy. Used by the drain suite. Values and pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace capstan::envtest {

struct PodEvent {
  bool gone = false;
  std::string name = {};
  std::string app = {};  // its label
  bool ready = false;
  bool deleting = false;
  std::uint64_t version = 0;  // the server's count of all changes, of whatever object

  bool healthy() const { return !gone && ready && !deleting; }
};

// What had happened before that change.
std::vector<PodEvent> events_before(const std::vector<PodEvent>& events, std::uint64_t version);

// How it went with the Pods of one app from the moment when all of them were healthy.
struct AppHistory {
  std::size_t most = 0;
  std::size_t fewest = 0;
  std::string fewest_at = {};  // the Pod whose event led there
  std::size_t left = 0;        // Pods with a deletionTimestamp
};
std::map<std::string, AppHistory> history_of(const std::vector<PodEvent>& events,
                                             const std::map<std::string, std::size_t>& complete);

}  // namespace capstan::envtest
