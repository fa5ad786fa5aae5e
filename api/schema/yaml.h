// YAML documents as JSON values and back. Reading types plain scalars by the YAML 1.2 core schema, refuses
// duplicate keys, anchors bombs and depth beyond kMaxYamlDepth; writing is stable and meant to be read: keys
// sorted, long text folded.
#pragma once

#include <boost/json/fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capstan::api {

inline constexpr int kMaxYamlDepth = 64;

// All documents of a stream separated by "---"; empty ones are left out.
Result<std::vector<boost::json::value>> parse_yaml_documents(std::string_view text);
// Exactly one document.
Result<boost::json::value> parse_yaml(std::string_view text);
std::string write_yaml(const boost::json::value& value);

}  // namespace capstan::api
