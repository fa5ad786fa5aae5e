// FaultFile follows the file of --faults while a simulated cloud runs: what is added to its faults begins to
// go wrong, what is taken off ends. The rest of the file counts at the start only. Made by `up`,
// `provider` and `driver`; its one thread ends with it.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "base/threads.h"
#include "infrastructure/sim/cloud.h"
#include "infrastructure/sim/script.h"

namespace capstan::dev {

struct FaultFileDeps {
  const Clock& clock;
  Threads& threads;
  infrastructure::sim::SimCloud& cloud;
  Log log = {};
};

// How a cloud is at its start. A file that isn't there yet is said on `notes`: `capstan-dev fault` makes it.
Result<infrastructure::sim::Script> script_at_start(const std::string& path, std::int64_t seed,
                                                    std::ostream& notes);

class FaultFile {
 public:
  // `started`: how the cloud was made, for the file may have changed since. An empty path: there is nothing
  // to follow.
  FaultFile(const FaultFileDeps& deps, std::string path, infrastructure::sim::Script started);
  ~FaultFile();
  FaultFile(const FaultFile&) = delete;
  FaultFile& operator=(const FaultFile&) = delete;

 private:
  void look();

  const FaultFileDeps deps_;
  const std::string path_;
  std::string last_ = {};
  infrastructure::sim::Script script_;  // as it was last
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::dev
