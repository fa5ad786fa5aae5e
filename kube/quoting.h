// How much of what a server said is repeated in our errors, and so in logs, conditions and Events. The server
// of a kubeconfig Secret may be any service that this process reaches, and what that one answers is no
// message for users. RemoteClient and the watcher ask. Pure.
#pragma once

#include <string_view>

#include "base/error.h"

namespace capstan::kube {

enum class Quoting {
  Everything,      // the server is the one of our own kubeconfig
  VerifiedStatus,  // a Secret names it, and TLS verifies it: reason and message of a Status
  Nothing,         // a Secret names it, and TLS does not verify it
};

// An error of decoding, which may quote fields and values.
Error without_quotes(Error error, Quoting quoting);

// Whether it can be the name of an object: anything else that stands in its place is a foreign word.
bool is_object_name(std::string_view text);

}  // namespace capstan::kube
