// The driver's side of the protocol, for any Driver in this process: a body in, an answer out. What serves it
// over a socket is server.h. Blocks as the driver does; safe from any thread.
#pragma once

#include <string_view>

#include "base/clock.h"
#include "infrastructure/driver.h"
#include "infrastructure/remote/protocol.h"

namespace capstan::infrastructure::remote {

inline constexpr int kFailed = 500;  // the body says why

// The deadline is the caller's as the request has it, and no later than `deadline`.
Answer respond(Driver& driver, std::string_view verb, std::string_view body, const Clock& clock,
               const Deadline& deadline);

Answer answer_of(const DriverError& error);

}  // namespace capstan::infrastructure::remote
