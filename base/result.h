// Result<T>: the value, or the Error why there is none. Used for everything that can fail outside our
// process.
#pragma once

#include <expected>
#include <utility>

#include "base/error.h"

namespace capstan {

template <typename T>
using Result = std::expected<T, Error>;

using Failure = std::unexpected<Error>;

// return fail(Code::Invalid, "spec.replicas: must be positive");
inline Failure fail(Code code, std::string message) {
  return Failure(Error{.code = code, .message = std::move(message)});
}
inline Failure fail(Error error) { return Failure(std::move(error)); }

}  // namespace capstan
