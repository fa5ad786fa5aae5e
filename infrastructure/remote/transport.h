// The seam under the protocol. RemoteDriver (remote_driver.h) calls a Transport; http_transport.h carries the
// call to another process, respond() (respond.h) answers it there. Safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/deadline.h"
#include "infrastructure/codes.h"
#include "infrastructure/remote/protocol.h"

namespace capstan::infrastructure::remote {

class Transport {
 public:
  virtual ~Transport() = default;
  // Whatever came back, of any HTTP status, in full and before the deadline. Unavailable: the driver has seen
  // nothing of the call. Unknown and DeadlineExceeded: it may have done it.
  virtual DriverResult<Answer> post(std::string_view verb, const std::string& body,
                                    const Deadline& deadline) = 0;
};

}  // namespace capstan::infrastructure::remote
