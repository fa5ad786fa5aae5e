// An EventRecorder that keeps what it is given, for tests of anything that records Events. Not for threads.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/events.h"

namespace capstan::fakes {

class RecordedEvents final : public runtime::EventRecorder {
 public:
  std::vector<std::string> events = {};  // "Normal Provisioning: Cluster c1 is Provisioning"

  void record(const api::ObjectReference&, runtime::EventType type, std::string_view reason,
              std::string_view message) override {
    events.push_back(std::string(runtime::to_string(type)) + " " + std::string(reason) + ": " +
                     std::string(message));
  }
  std::vector<std::string> take() { return std::exchange(events, {}); }
};

}  // namespace capstan::fakes
