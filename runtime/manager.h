// Starts what a process is made of in a fixed order and stops it in reverse, within a deadline each. Wiring
// adds parts in any order; the group decides when. One thread calls start() and stop().
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"

namespace capstan::runtime {

// In starting order. An API server converts what it lists by our webhooks, so they serve before informers
// ask.
enum class Group { Endpoints, Io, Webhooks, Informers, Leadership, Controllers };

struct Part {
  Group group = Group::Io;
  std::string name = {};
  std::function<Result<void>()> start = {};  // returns when it runs (informers: when synced)
  std::function<void()> stop = {};
};

class Manager {
 public:
  Manager(const Clock& clock, Log log) : clock_(clock), log_(std::move(log)) {}

  void add(Part part) { parts_.push_back(std::move(part)); }
  // The error names the part; what had started before it has been stopped again.
  Result<void> start();
  void stop();

 private:
  const Clock& clock_;
  const Log log_;
  std::vector<Part> parts_;
  std::vector<const Part*> running_;
};

}  // namespace capstan::runtime
