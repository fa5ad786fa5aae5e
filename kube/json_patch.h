// JSON patch (RFC 6902) with JSON pointers (RFC 6901), limits included: what strangers may send to the
// embedded API server, and how we write finalizers. Pure functions.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capstan::kube {

struct JsonPatchLimits {
  std::size_t max_operations = 10'000;
  std::size_t max_copied_bytes = 3U << 20;  // by all "copy" operations together, as serialised text
  std::size_t max_depth = 64;               // of pointers
};

// Applies all operations or none. Errors are Invalid and name the operation: `operation 2 (remove /spec/a):
// not found`. A failed "test" has the reason "TestFailed".
Result<void> apply_json_patch(boost::json::value& document, const boost::json::value& patch,
                              const JsonPatchLimits& limits = {});
inline constexpr std::string_view kTestFailed = "TestFailed";

// "/a~1b/0" -> {"a/b", "0"}; "" -> {}.
Result<std::vector<std::string>> parse_json_pointer(std::string_view pointer);
// The text of one step in a pointer: "a/b" -> "a~1b".
std::string json_pointer_step(std::string_view step);

}  // namespace capstan::kube
