// Clients that mean ill, in a process of their own: a fixed number of TLS connections to one port of
// loopback, at a fixed rate, of five kinds by turns. The process ends by itself and with its parent. It is
// forked: make it before the first thread. One thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace capstan::bench {

struct Attack {
  std::uint16_t port = 0;
  int connections = 10'000;
  int per_second = 500;
  std::chrono::seconds at_most = std::chrono::seconds(60);  // then it counts as failed
  // What slow readers ask for: a POST whose answer is long.
  std::string path = {};
  std::string body = {};
};

class HostileProcess {
 public:
  explicit HostileProcess(const Attack& attack);
  ~HostileProcess();
  HostileProcess(const HostileProcess&) = delete;
  HostileProcess& operator=(const HostileProcess&) = delete;

  // Throws std::runtime_error when it was weaker than asked for.
  bool has_ended();

 private:
  pid_t child_ = -1;
};

}  // namespace capstan::bench
