#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

constexpr std::string_view kList = "cmd/manager/cleanup_keys.cc";
constexpr std::string_view kDomain = "capstan.dev";
// What an instance in a cloud carries, and no Kubernetes object.
constexpr std::string_view kTags = "tag";
constexpr std::string_view kFinalizers = "finalizer";

struct Constant {
  std::string scope = {};  // "annotation", the innermost namespace
  std::string name = {};
  std::string value = {};
  std::size_t line = 0;
};

std::string last_part(std::string_view path) {
  const auto colon = path.rfind(':');
  return std::string(colon == std::string_view::npos ? path : path.substr(colon + 1));
}

// The text between the first `open` and the next `close`.
std::string between(std::string_view text, std::string_view open, char close) {
  const auto begin = text.find(open);
  if (begin == std::string_view::npos) return {};
  const auto end = text.find(close, begin + open.size());
  return end == std::string_view::npos
             ? std::string()
             : std::string(text.substr(begin + open.size(), end - begin - open.size()));
}

// Constants of texts, one a line, as this code base writes them.
std::vector<Constant> constants(const SourceFile& file) {
  std::vector<Constant> found;
  std::vector<std::string> scopes;
  std::size_t number = 0;
  for (std::size_t at = 0; at < file.text.size();) {
    const auto end = std::min(file.text.find('\n', at), file.text.size());
    const std::string_view line = std::string_view(file.text).substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.starts_with("namespace ") && line.ends_with('{'))
      scopes.push_back(last_part(between(line, "namespace ", ' ')));
    if (line.starts_with("}  // namespace") && !scopes.empty()) scopes.pop_back();
    const std::string name = between(line, "constexpr std::string_view ", ' ');
    if (name.empty() || scopes.empty()) continue;
    found.push_back(
        {.scope = scopes.back(), .name = name, .value = between(line, "\"", '"'), .line = number});
  }
  return found;
}

// Of an annotation, label or taint the domain is what stands before the slash; a finalizer may be a domain.
bool is_key(const Constant& constant) {
  if (constant.scope == kTags) return false;
  if (constant.value.find(std::string(kDomain) + "/") != std::string::npos) return true;
  return constant.scope == kFinalizers && constant.value.ends_with(kDomain);
}

}  // namespace

Findings check_own_keys(const Tree& tree) {
  Findings findings;
  const SourceFile* list = tree.find(kList);
  for (const SourceFile& file : tree.files) {
    if (!file.is_cpp() || file.is_test()) continue;
    for (const Constant& constant : constants(file)) {
      const std::string qualified = fmt::format("{}::{},", constant.scope, constant.name);
      if (!is_key(constant) || (list != nullptr && list->code.find(qualified) != std::string::npos)) continue;
      findings.push_back({.file = file.path,
                          .line = constant.line,
                          .rule = "own-keys",
                          .message = fmt::format("{} is not in {}: `capstan cleanup` would leave it behind",
                                                 constant.value, kList)});
    }
  }
  return findings;
}

}  // namespace capstan::lint
