// What the Node's annotations are to say of the agent. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::agent {

using Annotations = std::map<std::string, std::string, std::less<>>;
using AnnotationChanges = std::map<std::string, std::optional<std::string>>;  // nothing: it is taken off

struct NodeMarks {
  AnnotationChanges annotations = {};
  AnnotationChanges labels = {};
  bool empty() const { return annotations.empty() && labels.empty(); }
};

// Those that differ from what is there. `applied` is left as it is while nothing was applied.
AnnotationChanges report(const Annotations& there, std::string_view applied,
                         const std::vector<std::string>& errors);

}  // namespace capstan::agent
