#include "kube/missing_right.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace capstan::kube {
namespace {

constexpr int kForbiddenCode = 403;

std::string rule(std::string_view group, std::string_view resource, std::string_view verbs) {
  return fmt::format(R"({{apiGroups: ["{}"], resources: ["{}"], verbs: [{}]}})", group, resource, verbs);
}

// What stands between the quotes after `words`; JSON escapes the quotes inside its strings.
std::optional<std::string_view> quoted_after(std::string_view text, std::string_view words) {
  const auto at = text.find(words);
  if (at == std::string_view::npos) return std::nullopt;
  text.remove_prefix(at + words.size());
  const auto end = text.find_first_of("\\\"");
  if (end == std::string_view::npos) return std::nullopt;
  return text.substr(0, end);
}

// ... User "x" cannot patch resource "machines/status" in API group "cluster.x-k8s.io" ...
std::optional<std::string> rule_of_answer(std::string_view body) {
  constexpr std::string_view kCannot = " cannot ";
  constexpr std::string_view kResource = " resource \\\"";
  const auto cannot = body.find(kCannot);
  if (cannot == std::string_view::npos) return std::nullopt;
  body.remove_prefix(cannot + kCannot.size());
  const auto verb = body.substr(0, body.find(' '));
  const auto resource = quoted_after(body, kResource);
  const auto group = quoted_after(body, " in API group \\\"");
  if (!resource || !group || body.find(kResource) != verb.size()) return std::nullopt;
  return rule(*group, *resource, fmt::format("\"{}\"", verb));
}

std::vector<std::string_view> segments_of(std::string_view path) {
  std::vector<std::string_view> segments;
  while (!path.empty()) {
    path.remove_prefix(path.front() == '/' ? 1 : 0);
    const auto end = std::min(path.find('/'), path.size());
    segments.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

// /api/v1/namespaces/NS/PLURAL, /apis/GROUP/VERSION/PLURAL
std::optional<std::string> rule_of_list(std::string_view path) {
  auto segments = segments_of(path);
  if (segments.size() < 3) return std::nullopt;
  const bool core = segments.front() == "api";
  const std::string_view group = core ? "" : segments.at(1);
  segments.erase(segments.begin(), segments.begin() + (core ? 2 : 3));
  if (segments.size() > 2 && segments.front() == "namespaces")
    segments.erase(segments.begin(), segments.begin() + 2);
  if (segments.empty()) return std::nullopt;
  return rule(group, segments.front(), R"("list", "watch")");
}

}  // namespace

std::optional<std::string> missing_rule(const RequestRecord& request) {
  if (request.status != kForbiddenCode) return std::nullopt;
  return request.stream ? rule_of_list(request.path) : rule_of_answer(request.refusal);
}

}  // namespace capstan::kube
