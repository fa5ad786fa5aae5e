// What a cache has seen so far, without its type: what the consistency gate, readiness and /debug ask of a
// Store<T>. Safe from any thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/schema/scalars.h"
#include "api/schema/text_map.h"
#include "kube/resource.h"

namespace capstan::runtime {

using kube::ObjectKey;

struct ObservedObject {
  api::Uid uid = {};
  api::ResourceVersion version = {};
  bool deleting = false;
};

// An object that is there, and whose newest state could not be decoded.
struct Unreadable {
  ObjectKey key = {};          // without a name: some object of a list whose name could not be read either
  std::string problem = {};    // names the object and its field; for people
  bool metadata_read = false;  // otherwise nothing is known of owners and labels
  std::vector<api::Uid> owners = {};
  api::TextMap labels = {};

  // Also when it may be: its metadata could not be read.
  bool may_be_owned_by(const api::Uid& owner) const {
    return !metadata_read || std::ranges::find(owners, owner) != owners.end();
  }
};

class Observed {
 public:
  virtual ~Observed() = default;
  virtual std::string_view kind() const = 0;
  // A first list is complete. Before it an absent object means nothing.
  virtual bool synced() const = 0;
  // Everything up to this version has been seen.
  virtual api::ResourceVersion version() const = 0;
  // Counts how often the server's history was set back; versions of another epoch compare with nothing.
  virtual std::uint64_t epoch() const = 0;
  virtual std::optional<ObservedObject> look(const ObjectKey& key) const = 0;
  // Something when an object of that key is there, or may be, although its newest state could not be decoded:
  // that it is not in the cache means nothing. What was known of it before stays in the cache.
  virtual std::optional<Unreadable> unreadable(const ObjectKey& key) const = 0;
  // Those of a namespace that the cache has no earlier state of, by name.
  virtual std::vector<Unreadable> unreadable_in(std::string_view namespace_) const = 0;
  virtual std::size_t size() const = 0;
  // The keys of the `part`-th of `parts` slices; each object is in one of them.
  virtual std::vector<ObjectKey> slice(std::size_t part, std::size_t parts) const = 0;
};

}  // namespace capstan::runtime
