// What a turn writes: objects of one page, or what the CustomResourceDefinition says about all of them. Made
// by decide.h, carried out by act.h. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/instant.h"
#include "kube/resource.h"

namespace capstan::controllers::crdmigration {

// The object as it is, which the API server stores in today's version; or without the managers that it names.
struct Rewrite {
  kube::ObjectKey key = {};
  std::string resource_version = {};
  std::optional<std::vector<std::string>> managers = {};  // the entries that stay, as JSON
  bool operator==(const Rewrite&) const = default;
};

// status.storedVersions, in the version of the definition that was read.
struct StoredVersions {
  std::vector<std::string> from = {};
  std::string to = {};
  bool operator==(const StoredVersions&) const = default;
};

enum class Step {
  Nothing,
  Wait,           // API servers may not know the stored version yet
  RewritePage,    // the page that was read
  GiveUp,         // some objects can't be written: the pass begins again after a while
  PruneVersions,  // no object is stored in another version any more
  Note,           // all is done for this generation
};

struct Plan {
  Step step = Step::Nothing;
  std::vector<Rewrite> rewrites = {};
  StoredVersions stored_versions = {};
  std::int64_t generation = 0;  // to note
  std::string why = {};         // of GiveUp
  std::optional<Nanoseconds> again = {};
  bool operator==(const Plan&) const = default;
};

// A line per action, for logs and tests.
std::vector<std::string> describe(const Plan& plan);

}  // namespace capstan::controllers::crdmigration
