// Serves any Driver of this process to a Capstan in another one: on a unix socket that its user alone can
// open, or over TLS to clients whose certificate the authority has signed. By cpp-httplib, with limits on
// what a caller can send. start() and stop() from one thread.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/threads.h"
#include "infrastructure/driver.h"
#include "infrastructure/remote/endpoint.h"

namespace capstan::infrastructure::remote {

// All of it lives longer.
struct DriverServerDeps {
  const Clock& clock;
  Threads& threads;
  Driver& driver;
};

class DriverServer {
 public:
  // Port 0 of https takes a free one.
  DriverServer(const DriverServerDeps& deps, Endpoint at, TlsPaths tls = {});
  ~DriverServer();  // stops it
  DriverServer(const DriverServer&) = delete;
  DriverServer& operator=(const DriverServer&) = delete;

  // Returns once callers can connect. A socket that a server which is gone has left behind is replaced.
  Result<void> start();
  // Calls under way are told to give up, and answered.
  void stop();
  std::uint16_t port() const;  // of https

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::infrastructure::remote
