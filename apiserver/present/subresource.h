// A subresource as discovery and OpenAPI show it. A plain value.
#pragma once

#include <string>
#include <vector>

namespace capstan::apiserver {

// `own_kind`: its body is the kind of the resource itself.
struct Subresource {
  std::string name = {};
  std::string group = {};
  std::string version = {};
  std::string kind = {};
  bool own_kind = false;
  std::vector<std::string> verbs = {};
};

}  // namespace capstan::apiserver
