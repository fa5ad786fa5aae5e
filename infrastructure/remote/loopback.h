// A Transport whose calls are answered in this process, in the thread and the time of the caller: every
// message is written and read, but there is no socket. For simulations. Safe from any thread.
#pragma once

#include "infrastructure/remote/respond.h"
#include "infrastructure/remote/transport.h"

namespace capstan::infrastructure::remote {

class Loopback final : public Transport {
 public:
  // Both live longer.
  Loopback(Driver& driver, const Clock& clock) : driver_(driver), clock_(clock) {}

  DriverResult<Answer> post(std::string_view verb, const std::string& body,
                            const Deadline& deadline) override {
    return respond(driver_, verb, body, clock_, deadline);
  }

 private:
  Driver& driver_;
  const Clock& clock_;
};

}  // namespace capstan::infrastructure::remote
