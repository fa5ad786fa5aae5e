// What a cache has seen so far, without its type: what the consistency gate, readiness and /debug ask of a
// Store<T>. Safe from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/schema/scalars.h"
#include "kube/resource.h"

namespace capstan::runtime {

using kube::ObjectKey;

struct ObservedObject {
  api::Uid uid = {};
  api::ResourceVersion version = {};
  bool deleting = false;
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
  virtual std::size_t size() const = 0;
  // The keys of the `part`-th of `parts` slices; each object is in one of them.
  virtual std::vector<ObjectKey> slice(std::size_t part, std::size_t parts) const = 0;
};

}  // namespace capstan::runtime
