// Subresources as discovery and OpenAPI show them. A plain value, and which ones a kind has. Pure.
#pragma once

#include <string>
#include <vector>

namespace capstan::apiserver {

struct ResourceType;
struct ServedVersion;

// `own_kind`: its body is the kind of the resource itself.
struct Subresource {
  std::string name = {};
  std::string group = {};
  std::string version = {};
  std::string kind = {};
  bool own_kind = false;
  std::vector<std::string> verbs = {};
};
std::vector<Subresource> subresources(const ResourceType& type, const ServedVersion& version);

}  // namespace capstan::apiserver
