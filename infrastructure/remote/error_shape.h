// What an answer that is an error has to look like on the wire, for the kit (check.h). Pure.
#pragma once

#include <optional>
#include <string>

#include "infrastructure/codes.h"
#include "infrastructure/remote/protocol.h"

namespace capstan::infrastructure::remote {

// Why it is no error of that code as the protocol has it; nothing: it is one.
std::optional<std::string> fault_of_error(const Answer& answer, DriverCode wanted);

}  // namespace capstan::infrastructure::remote
