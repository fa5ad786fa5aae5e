// metadata.managedFields as an interned digest: which field manager owns which labels,
// annotations and spec paths. It answers "must I apply again" without keeping a quarter of every object in
// memory. Read only: it is never written back. Safe to share between threads.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "base/interned.h"
#include "base/text.h"

namespace capstan::api {

// One entry of managedFields. Lists are sorted. What they own is kept for Apply entries only; other
// entries (Update) keep their manager's name alone.
struct ManagedEntry {
  Text manager = {};
  Text operation = {};    // "Apply" or "Update"
  Text subresource = {};  // empty for the object itself
  std::vector<Text> labels = {};
  std::vector<Text> annotations = {};
  // Leaves below spec: "spec.version", "spec.taints[{\"effect\":\"NoSchedule\",\"key\":\"a\"}].value". Leaves
  // of metadata that are neither labels nor annotations are left out: they name UIDs, and no two digests
  // would be equal.
  std::vector<Text> paths = {};
  bool operator==(const ManagedEntry&) const = default;
};

using ManagedEntries = std::vector<ManagedEntry>;

}  // namespace capstan::api

template <>
struct std::hash<capstan::api::ManagedEntry> {
  std::size_t operator()(const capstan::api::ManagedEntry& entry) const noexcept;
};

namespace capstan::api {

class ManagedFields {
 public:
  ManagedFields() = default;
  explicit ManagedFields(ManagedEntries entries) : entries_(std::move(entries)) {}

  bool empty() const { return entries_.get().empty(); }  // the object came without managedFields
  auto begin() const { return entries_.get().begin(); }
  auto end() const { return entries_.get().end(); }

  // What `manager` applied to the object itself (no subresource); null when it never applied.
  const ManagedEntry* applied_by(std::string_view manager) const;
  // Any entry of this manager, whatever the operation.
  bool mentions(std::string_view manager) const;

  friend bool operator==(const ManagedFields&, const ManagedFields&) = default;

 private:
  Interned<ManagedEntries> entries_ = {};
};

}  // namespace capstan::api
