// What a CustomResourceDefinition says about the versions of its kind: which are served, which one is stored,
// and in which ones objects may be stored still. Read from the whole document, for the cache has its metadata
// alone. Plain values; read by observe.h, judged by decide.h.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "kube/resource.h"

namespace capstan::controllers::crdmigration {

struct Definition {
  std::string name = {};  // "machines.cluster.x-k8s.io"
  std::string resource_version = {};
  std::int64_t generation = 0;
  std::string noted_generation = {};     // of the annotation: objects are stored as that generation wants it
  kube::Resource stored = {};            // the kind, in the version that is stored
  bool has_status = false;               // that version has the subresource
  std::vector<std::string> served = {};  // "cluster.x-k8s.io/v1beta2"
  std::vector<std::string> stored_versions = {};  // of its status: "v1beta1", "v1beta2"

  bool is_noted() const { return noted_generation == std::to_string(generation); }
  // No object is stored in another version.
  bool has_one_stored_version() const {
    return stored_versions.size() == 1 && stored_versions.front() == stored.version;
  }
  bool serves(std::string_view api_version) const;
};

// Invalid when no version of it is stored.
Result<Definition> read_definition(const boost::json::value& document);

}  // namespace capstan::controllers::crdmigration
