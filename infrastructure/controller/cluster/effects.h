// What came of a plan. A plain struct, filled by act, read by report.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "infrastructure/controller/caches.h"

namespace capstan::infrastructure::cluster {

// For the condition Ready, and when to try again.
struct Trouble {
  std::string_view reason = {};
  std::string message = {};
  Seconds retry = {};
};

struct Effects {
  Snapshot<api::DriverCluster> object = {};  // with what act wrote; null: as it was seen
  bool provided = false;
  bool released = false;
  std::optional<Trouble> trouble = {};
  std::optional<Error> error = {};  // of our own API server: back off
};

}  // namespace capstan::infrastructure::cluster
