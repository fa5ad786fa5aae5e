// SIGINT and SIGTERM as a stop token. Made in main before any other thread, so that all of them leave these
// signals alone. The second signal ends the process at once.
#pragma once

#include <csignal>
#include <memory>
#include <stop_token>

#include "base/threads.h"

namespace capstan::program {

class Signals {
 public:
  explicit Signals(Threads& threads);
  ~Signals();
  Signals(const Signals&) = delete;
  Signals& operator=(const Signals&) = delete;

  std::stop_token stop() const { return stop_.get_token(); }

 private:
  sigset_t set_ = {};
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::program
