// A Machine changes its MachineSet in three writes: both sets count it at the new place first (spec.replicas,
// with its name in the annotation capstan.dev/hands-over of the old one and capstan.dev/takes-over of the new
// one), then its owner changes, then the names go. So neither set makes or deletes a Machine meanwhile,
// whichever write is the last one before a crash. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/object_meta.h"

namespace capstan::controllers::inplace {

using Names = std::vector<std::string>;  // of Machines, sorted

// Those whose leaving the set's replicas count already.
Names handed_over_by(const api::ObjectMeta& set);
// Those whose coming the set's replicas count already.
Names taken_over_by(const api::ObjectMeta& set);

struct HandOver {
  Names leaving = {};
  Names coming = {};
  std::int64_t growth = 0;  // of spec.replicas, in the write that changes the names
  bool operator==(const HandOver&) const = default;
};
// `annotations`: of the set that is about to be applied.
void write_names(const HandOver& what, api::TextMap& annotations);

bool has_name(const Names& names, std::string_view name);

}  // namespace capstan::controllers::inplace
