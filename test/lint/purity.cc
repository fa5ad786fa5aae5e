#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

// By file name, so that kube/client.h, kube/remote_client.h and net/http_client.h are all clients.
constexpr std::array<std::string_view, 8> kImpure = {"clock.h",      "client.h",  "log.h",      "metrics.h",
                                                     "randomness.h", "threads.h", "deadline.h", "guarded.h"};
constexpr std::array<std::string_view, 5> kImpureStandard = {"random", "thread", "mutex", "fstream",
                                                             "iostream"};

bool is_impure(const Include& include) {
  if (include.angled) return std::ranges::find(kImpureStandard, include.name) != kImpureStandard.end();
  if (include.name == "base/names.h") return true;  // the name generator; api/names.h are constants
  return std::ranges::any_of(kImpure, [&](std::string_view name) {
    return include.name.ends_with("/" + std::string(name)) || include.name.ends_with("_" + std::string(name));
  });
}

// The comment a file begins with, as one line.
std::string head_of(const SourceFile& file) {
  std::string head;
  std::string_view rest = file.text;
  while (rest.starts_with("//")) {
    const auto end = std::min(rest.find('\n'), rest.size());
    const std::string_view words = rest.substr(2, end - 2);
    head.append(head.empty() && words.starts_with(' ') ? words.substr(1) : words);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return head;
}

bool begins_clause(std::string_view head, std::size_t at) {
  if (at == 0) return true;
  return at >= 2 && head[at - 1] == ' ' && std::string_view(".:;").contains(head[at - 2]);
}

// "Pure but for the table it is given" says what it is not.
bool is_limited(std::string_view after) {
  return after.starts_with(" but ") || after.starts_with(", but ") || after.starts_with(" apart ");
}

bool calls_itself_pure(const SourceFile& file) {
  constexpr std::string_view kRestOfPure = "ure";
  const std::string head = head_of(file);
  if (head.contains("lain value")) return true;
  for (auto at = head.find(kRestOfPure); at != std::string::npos; at = head.find(kRestOfPure, at + 1)) {
    const bool is_word = at > 0 && (head[at - 1] == 'P' || head[at - 1] == 'p');
    const std::string_view after = std::string_view(head).substr(at + kRestOfPure.size());
    const bool ends = after.empty() || std::string_view(" .,:;").contains(after.front());
    if (is_word && ends && begins_clause(head, at - 1) && !is_limited(after)) return true;
  }
  return false;
}

bool is_pure_by_name(const SourceFile& file) {
  const std::string_view name = file.name();
  const bool rules = file.folder() == "api" && name.contains("_rules.");
  return rules || name.starts_with("decide.") || name.starts_with("report.") || name.contains("_protocol.") ||
         file.path.starts_with("api/conditions/");
}

bool is_pure(const Tree& tree, const SourceFile& file) {
  if (!file.is_cpp() || file.is_test()) return false;
  if (is_pure_by_name(file)) return true;
  if (file.is_header()) return calls_itself_pure(file);
  const SourceFile* header = tree.find(file.path.substr(0, file.path.size() - 2) + "h");
  return header != nullptr && calls_itself_pure(*header);
}

// The shortest way from a file to something impure: what is included by the one before it. Empty: there is
// none.
class Way {
 public:
  explicit Way(const Tree& tree) : tree_(tree) {}
  std::vector<Include> from(const SourceFile& file);

 private:
  using Steps = std::vector<Include>;
  std::optional<Steps> look_into(const SourceFile& file, const Steps& steps);

  const Tree& tree_;
  std::set<std::string_view> seen_ = {};
  std::deque<Steps> ahead_ = {};
};

std::vector<Include> Way::from(const SourceFile& file) {
  seen_.insert(file.path);
  auto found = look_into(file, {});
  while (!found && !ahead_.empty()) {
    const Steps steps = std::move(ahead_.front());
    ahead_.pop_front();
    found = look_into(*tree_.find(steps.back().name), steps);
  }
  return found.value_or(Steps());
}

std::optional<Way::Steps> Way::look_into(const SourceFile& file, const Steps& steps) {
  for (const Include& include : file.includes) {
    Steps further = steps;
    further.push_back(include);
    if (is_impure(include)) return further;
    const SourceFile* included = include.angled ? nullptr : tree_.find(include.name);
    if (included != nullptr && seen_.insert(included->path).second) ahead_.push_back(std::move(further));
  }
  return std::nullopt;
}

std::string in_words(const std::vector<Include>& way) {
  std::string words = way.back().name;
  if (way.size() == 1) return words;
  words += ", by way of ";
  for (std::size_t at = 0; at + 1 < way.size(); ++at)
    words.append(at == 0 ? "" : " -> ").append(way[at].name);
  return words;
}

}  // namespace

Findings check_purity(const Tree& tree) {
  Findings findings;
  for (const SourceFile& file : tree.files) {
    if (!is_pure(tree, file)) continue;
    const auto way = Way(tree).from(file);
    if (way.empty()) continue;
    findings.push_back({.file = file.path,
                        .line = way.front().line,
                        .rule = "purity",
                        .message = fmt::format("a pure file includes {}: what it needs to know arrives as an "
                                               "argument (words for time: base/instant.h, kinds: "
                                               "kube/kinds.h, objects of caches: runtime/snapshot.h)",
                                               in_words(way))});
  }
  return findings;
}

}  // namespace capstan::lint
