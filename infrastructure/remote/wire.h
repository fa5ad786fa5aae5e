// Between what the driver seam speaks of and the messages of the protocol, in both directions. An error
// names the field that is wrong. Pure functions.
#pragma once

#include "base/result.h"
#include "infrastructure/codes.h"
#include "infrastructure/remote/messages.h"
#include "infrastructure/vm.h"

namespace capstan::infrastructure::remote {

VmMessage message_of(const Vm& vm);
Result<Vm> vm_of(const VmMessage& message);

TextMap message_of(const Tags& tags);
Tags tags_of(const TextMap& message);

ErrorAnswer message_of(const DriverError& error);
// A code that is not in the list is Unknown.
DriverError error_of(const ErrorAnswer& answer);

// From JSON text as a user wrote it; text that is no JSON travels as a JSON string.
RawJson raw_json(const std::string& text);

}  // namespace capstan::infrastructure::remote
