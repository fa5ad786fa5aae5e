// Two JSON documents, a line each: the first patched with the second never crashes, patching twice is
// patching once, and the difference of the two leads from one to the other.
#include <boost/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/merge_patch.h"

namespace {

namespace json = boost::json;
using capstan::kube::apply_merge_patch;
using capstan::kube::merge_difference;

// As a merge patch sees a document: null is absent, except inside an array.
json::value without_nulls(const json::value& value) {
  const auto* object = value.if_object();
  if (object == nullptr) return value;
  json::object kept;
  for (const auto& [key, member] : *object) {
    if (!member.is_null()) kept[key] = without_nulls(member);
  }
  return kept;
}

json::value patched(json::value target, const json::value& patch) {
  apply_merge_patch(target, patch);
  return target;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  boost::system::error_code failed;
  const json::value first = json::parse(text.substr(0, line), failed);
  if (failed) return 0;
  const json::value second = json::parse(text.substr(line + 1), failed);
  if (failed) return 0;

  const json::value once = patched(first, second);
  if (patched(once, second) != once) std::abort();

  const json::value before = without_nulls(first);
  const json::value after = without_nulls(second);
  if (!before.is_object() || !after.is_object()) return 0;
  if (patched(before, merge_difference(before, after)) != after) std::abort();
  return 0;
}
