// Calls to a driver in another process, over a unix socket or TLS: HTTP/1.1 by cpp-httplib on kept
// connections, as many calls at once as the driver has workers. One more waits for a while; it is refused at
// once when no call had an answer for that long, so that a driver that hangs holds few more threads of ours
// than that. Deadline and size hold for the whole call. Safe from any thread.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/threads.h"
#include "infrastructure/remote/endpoint.h"
#include "infrastructure/remote/transport.h"

namespace capstan::infrastructure::remote {

struct TransportDeps {
  const Clock& clock;
  Threads& threads;
};

struct TransportOptions {
  Endpoint endpoint = {};
  TlsPaths tls = {};         // of https
  std::size_t workers = 40;  // calls at once
  // How long a list waits for one. A call for one VM does not: it would keep a worker of the provider from
  // the VMs of other drivers, and is tried again soon.
  Nanoseconds patience = std::chrono::seconds(10);
};

class HttpTransport final : public Transport {
 public:
  HttpTransport(const TransportDeps& deps, TransportOptions options);
  ~HttpTransport() override;
  HttpTransport(const HttpTransport&) = delete;
  HttpTransport& operator=(const HttpTransport&) = delete;

  DriverResult<Answer> post(std::string_view verb, const std::string& body,
                            const Deadline& deadline) override;

 private:
  class Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace capstan::infrastructure::remote
