// Any bytes as YAML: reading never crashes, and what it accepts is written as YAML that reads back the same.
#include <boost/json.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/schema/yaml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto documents = capstan::api::parse_yaml_documents(text);
  if (!documents) return 0;
  for (const auto& document : *documents) {
    const auto back = capstan::api::parse_yaml(capstan::api::write_yaml(document));
    if (!back || *back != document) std::abort();
  }
  return 0;
}
