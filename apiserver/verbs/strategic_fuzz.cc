// Something like a PodSpec and a strategic merge patch, a line each: patching never crashes, and without
// directives ($patch and its like) patching twice is patching once.
#include <boost/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <utility>

#include "apiserver/verbs/strategic.h"

namespace {

using namespace capstan::apiserver;

SchemaPtr text() { return std::make_shared<const Schema>(Schema{.type = Type::String}); }

SchemaPtr fields(std::map<std::string, SchemaPtr, std::less<>> properties) {
  return std::make_shared<const Schema>(Schema{.type = Type::Object, .properties = std::move(properties)});
}

// An empty key: a list of scalars merged as a set.
SchemaPtr merged_list(SchemaPtr items, std::string key, bool retain_keys = false) {
  return std::make_shared<const Schema>(Schema{.type = Type::Array,
                                               .items = std::move(items),
                                               .patch_merge = true,
                                               .patch_merge_key = std::move(key),
                                               .patch_retain_keys = retain_keys});
}

SchemaPtr pod_spec() {
  const auto env = merged_list(fields({{"name", text()}, {"value", text()}}), "name");
  const auto container = fields({{"name", text()}, {"image", text()}, {"env", env}});
  const auto volume =
      fields({{"name", text()}, {"hostPath", fields({{"path", text()}})}, {"emptyDir", fields({})}});
  const auto atomic = std::make_shared<const Schema>(Schema{.type = Type::Array, .items = text()});
  return fields({{"containers", merged_list(container, "name")},
                 {"volumes", merged_list(volume, "name", true)},
                 {"finalizers", merged_list(text(), "")},
                 {"tolerations", atomic},
                 {"hostname", text()},
                 {"securityContext", fields({{"runAsUser", text()}, {"fsGroup", text()}})}});
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const SchemaPtr kPodSpec = pod_spec();
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto line = text.find('\n');
  if (line == std::string_view::npos) return 0;
  boost::system::error_code failed;
  const json::value live = json::parse(text.substr(0, line), failed);
  if (failed || !live.is_object()) return 0;
  const json::value patch = json::parse(text.substr(line + 1), failed);
  if (failed || !patch.is_object()) return 0;

  const auto once = strategic_merge(live.get_object(), patch.get_object(), *kPodSpec);
  if (!once || json::serialize(patch).find('$') != std::string::npos) return 0;
  const auto twice = strategic_merge(*once, patch.get_object(), *kPodSpec);
  if (!twice || *twice != *once) std::abort();
  return 0;
}
