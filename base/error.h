// What went wrong outside our process, as a value. Branch on `code` only; `message` is for people, outermost
// reason first. Every folder uses it through Result<T> (base/result.h). A plain value, safe to copy between
// threads.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capstan {

enum class Code {
  NotFound,
  AlreadyExists,
  Conflict,
  Invalid,
  Forbidden,
  Unauthorized,
  RateLimited,
  Timeout,
  Unavailable,
  NotConnected,
  Gone,
  Cancelled,
  Exhausted,
  Internal,
};

std::string_view to_string(Code code);

// The only retry table: may the same request succeed a little later, with nothing else changed?
bool is_transient(Code code);

// One field a server complained about (Kubernetes Status.details.causes).
struct Cause {
  std::string field = {};
  std::string reason = {};
  std::string message = {};
  bool operator==(const Cause&) const = default;
};

struct Error {
  Code code = Code::Internal;
  std::string message = {};
  std::optional<std::chrono::seconds> retry_after = {};
  std::string reason =
      {};  // the server's own word (Status.reason); made here: empty, or one its maker declares
  std::vector<Cause> causes = {};
  // True when the effect of the request is unknown: it may have reached the server although no answer came
  // back.
  bool outcome_unknown = false;

  // The same error with one more "why" in front: "create machine a: connection refused".
  Error context(std::string_view why) const;
  // "Conflict: the object has been modified (spec.replicas: must be positive)".
  std::string describe() const;

  bool operator==(const Error&) const = default;
};

}  // namespace capstan
