// Credentials as the protocol carries them: an object, each value in base64, as in a Secret. Nothing of them
// is interned. No state; safe from any thread.
#pragma once

#include "base/result.h"
#include "infrastructure/driver.h"
#include "infrastructure/remote/messages.h"

namespace capstan::infrastructure::remote {

RawJson message_of(const Credentials& credentials);
// Invalid names the value that is no base64, and does not show it.
Result<Credentials> credentials_of(const RawJson& message);

}  // namespace capstan::infrastructure::remote
