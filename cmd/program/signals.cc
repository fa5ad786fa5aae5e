#include "cmd/program/signals.h"

#include <unistd.h>

namespace capstan::program {
namespace {

constexpr int kEndedBySignal = 128;

}  // namespace

Signals::Signals(Threads& threads) {
  sigemptyset(&set_);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set_, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  thread_ = threads.spawn("signals", [this](const std::stop_token& ending) {
    int signal = 0;
    sigwait(&set_, &signal);
    if (ending.stop_requested()) return;
    stop_.request_stop();
    sigwait(&set_, &signal);
    if (!ending.stop_requested()) _exit(kEndedBySignal + signal);
  });
}

Signals::~Signals() {
  thread_->request_stop();
  kill(getpid(), SIGTERM);  // wakes that thread alone: the signal is blocked everywhere
  thread_->join();
}

}  // namespace capstan::program
