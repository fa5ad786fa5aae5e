#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

struct Library {
  std::string_view name;
  std::array<std::string_view, 4> headers;  // beginnings of include names
  std::array<std::string_view, 4> homes;    // beginnings of paths
};

constexpr std::array<Library, 6> kLibraries = {{
    {"Asio", {"boost/asio"}, {"net/"}},
    {"Beast", {"boost/beast"}, {"net/"}},
    {"OpenSSL", {"openssl/"}, {"net/"}},
    {"yaml-cpp", {"yaml-cpp/"}, {"api/schema/", "kubeconfig/", "apiserver/"}},
    {"prometheus-cpp", {"prometheus/"}, {"base/metrics.cc"}},
    {"cpp-httplib", {"httplib"}, {"infrastructure/remote/", "cmd/cli/"}},
}};

using Beginnings = std::array<std::string_view, 4>;

bool starts_with_any(std::string_view text, const Beginnings& beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](auto begin) { return !begin.empty() && text.starts_with(begin); });
}

bool is_home(const Library& library, const SourceFile& file) {
  return file.is_test() || starts_with_any(file.path, library.homes);
}

// Which files pull in the headers of a library, directly or through another header of ours.
class Reach {
 public:
  Reach(const Tree& tree, const Library& library) : tree_(tree), library_(library) {}

  bool reaches(const SourceFile& file) {
    const auto [entry, added] = known_.try_emplace(&file, false);
    if (!added) return entry->second;
    const bool found =
        std::ranges::any_of(file.includes, [&](const Include& include) { return reaches(include); });
    return known_[&file] = found;
  }
  bool reaches(const Include& include) {
    if (include.angled) return starts_with_any(include.name, library_.headers);
    const SourceFile* included = tree_.find(include.name);
    return included != nullptr && reaches(*included);
  }

 private:
  const Tree& tree_;
  const Library& library_;
  std::map<const SourceFile*, bool> known_;
};

// Blames the include that leaves the home, not all files that include the culprit.
bool leaves_home(const Tree& tree, const Library& library, const Include& include) {
  if (include.angled) return true;
  const SourceFile* included = tree.find(include.name);
  return included != nullptr && is_home(library, *included) && included->folder() != "test";
}

}  // namespace

Findings check_homes(const Tree& tree) {
  Findings findings;
  for (const Library& library : kLibraries) {
    Reach reach(tree, library);
    for (const SourceFile& file : tree.files) {
      if (is_home(library, file)) continue;
      for (const Include& include : file.includes) {
        if (!reach.reaches(include) || !leaves_home(tree, library, include)) continue;
        findings.push_back({.file = file.path,
                            .line = include.line,
                            .rule = "homes",
                            .message = fmt::format("{} brings in {}, which lives in {}", include.name,
                                                   library.name, library.homes[0])});
      }
    }
  }
  return findings;
}

namespace {

bool includes(const SourceFile& file, std::string_view path) {
  return std::ranges::any_of(file.includes, [&](const Include& include) { return include.name == path; });
}

// A file outside its folder that includes the header, if only through another one; null when none does: a
// private header may weigh what it likes.
const SourceFile* stranger(const Tree& tree, const SourceFile& header) {
  std::set<const SourceFile*> reached = {&header};
  std::vector<const SourceFile*> to_visit = {&header};
  while (!to_visit.empty()) {
    const SourceFile& included = *to_visit.back();
    to_visit.pop_back();
    for (const SourceFile& file : tree.files) {
      if (file.is_test() || !includes(file, included.path) || !reached.insert(&file).second) continue;
      if (file.folder() == "cmd") continue;  // programs are few and stand above everything
      if (file.folder() != header.folder()) return &file;
      if (file.is_header()) to_visit.push_back(&file);
    }
  }
  return nullptr;
}

std::string_view weight_of(const Include& include) {
  const bool json = include.name.starts_with("boost/json") && include.name != "boost/json/fwd.hpp";
  if (include.angled && json) return "headers use <boost/json/fwd.hpp>, sources <boost/json.hpp>";
  if (include.angled && include.name.starts_with("fmt/")) return "fmt belongs into sources";
  return {};
}

}  // namespace

Findings check_light_headers(const Tree& tree) {
  Findings findings;
  for (const SourceFile& file : tree.files) {
    const bool serves_fmt = file.name().ends_with("_fmt.h");  // how to print a type, for sources
    if (!file.is_header() || file.is_test() || serves_fmt) continue;
    for (const Include& include : file.includes) {
      const std::string_view weight = weight_of(include);
      const SourceFile* victim = weight.empty() ? nullptr : stranger(tree, file);
      if (victim == nullptr) continue;
      findings.push_back({.file = file.path,
                          .line = include.line,
                          .rule = "light-headers",
                          .message = fmt::format("{} ({} has to read it)", weight, victim->path)});
    }
  }
  return findings;
}

}  // namespace capstan::lint
