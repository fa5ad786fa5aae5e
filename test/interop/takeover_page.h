// The tables of docs/takeover.md: which writes they list. A row begins with
// "| `patch machines/status` `conditions.Ready`, `phase` |" and holds "not always" where it depends on the
// moment. Plain functions; they read the page.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::envtest {

inline constexpr std::string_view kTakeoverPage = "docs/takeover.md";

struct ListedWrites {
  std::set<std::string> always = {};  // "patch machines/status phase"
  std::set<std::string> sometimes = {};

  bool contains(const std::string& row) const { return always.contains(row) || sometimes.contains(row); }
};

// Of the table below "## <heading>".
ListedWrites listed_below(const std::string& heading);
// What its rows begin with, as it stands there.
std::vector<std::string> first_cells_below(const std::string& heading);

}  // namespace capstan::envtest
