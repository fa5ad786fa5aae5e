// A document and a JSON patch, a line each: all operations happen or none, and what comes of it stays within
// the limits.
#include <boost/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/json_patch.h"

namespace json = boost::json;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  constexpr capstan::kube::JsonPatchLimits kLimits{
      .max_operations = 64, .max_copied_bytes = 4096, .max_depth = 64};
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  boost::system::error_code failed;
  const json::value before = json::parse(text.substr(0, line), failed);
  if (failed) return 0;
  const json::value patch = json::parse(text.substr(line + 1), failed);
  if (failed) return 0;

  json::value document = before;
  const auto applied = capstan::kube::apply_json_patch(document, patch, kLimits);
  if (!applied) {
    if (document != before || applied.error().message.empty()) std::abort();
    return 0;
  }
  // Text grows by what the patch brings and by what is copied; numbers may be written longer than they were
  // read (1e9).
  if (json::serialize(document).size() > 32 * size + kLimits.max_copied_bytes) std::abort();
  return 0;
}
