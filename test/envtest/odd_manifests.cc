#include "test/envtest/odd_manifests.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "test/envtest/schema_faults.h"

namespace capstan::envtest {
namespace {

namespace json = boost::json;

constexpr std::string_view kAbsent = "(absent)";
constexpr std::string_view kVersion = "v1beta2";

// "/spec/version" and a value as a merge patch. Values stand for themselves: what was there does not shine
// through.
json::value patch_of(std::string_view pointer, const json::value& value) {
  const bool absent = value.is_string() && value.get_string() == kAbsent;
  const auto slash = pointer.rfind('/');
  json::value inner = json::object{{pointer.substr(slash + 1), absent ? json::value() : value}};
  return slash == 0 ? inner : patch_of(pointer.substr(0, slash), inner);
}

// The place is emptied first, so that the value alone is there.
json::value put(json::value object, std::string_view pointer, const json::value& value) {
  object = merged(std::move(object), patch_of(pointer, json::string(kAbsent)));
  return merged(std::move(object), patch_of(pointer, value));
}

// A merge patch that makes `to` of `from`.
json::value difference(const json::value& from, const json::value& to) {
  if (!from.is_object() || !to.is_object()) return to;
  json::object patch;
  for (const auto& [name, value] : from.as_object())
    if (!to.as_object().contains(name)) patch[name] = nullptr;
  for (const auto& [name, value] : to.as_object()) {
    const auto* before = from.as_object().if_contains(name);
    if (before == nullptr)
      patch[name] = value;
    else if (*before != value)
      patch[name] = difference(*before, value);
  }
  return patch;
}

OddRequest request_of(std::string rule, const std::string& kind, Way way, const json::value& base,
                      const json::value& odd) {
  return {.rule = std::move(rule),
          .kind = kind,
          .way = way,
          .body = way == Way::Create ? odd : difference(base, odd)};
}

const json::value& base_of(const OddSources& sources, std::string_view kind) {
  return sources.edits.at(kind).at("base");
}

// Every value of the rule as an object of its own; several edits that belong together as one.
std::vector<json::value> odd_objects(const json::object& rule, const json::value& base) {
  std::vector<json::value> all;
  if (const auto* together = rule.if_contains("edits")) {
    json::value object = base;
    for (const auto& [pointer, value] : together->as_object())
      object = put(std::move(object), pointer, value);
    all.push_back(std::move(object));
  }
  if (const auto* each = rule.if_contains("each")) {
    for (const auto& [pointer, values] : each->as_object())
      for (const json::value& value : values.as_array()) all.push_back(put(base, pointer, value));
  }
  return all;
}

OddRequest request_of(const SchemaFault& fault, const std::string& kind, const json::value& base, Way way) {
  return {.rule = fmt::format("{} {} {}", kind, fault.path, fault.keyword),
          .kind = kind,
          .way = way,
          .body = way == Way::Create ? merged(base, fault.patch) : fault.patch};
}

std::vector<OddRequest> faults_of(const OddSources& sources, const std::string& kind) {
  std::vector<OddRequest> all;
  for (const auto& [part, way] : {std::pair{"spec", Way::Create}, std::pair{"status", Way::Status}})
    for (const SchemaFault& fault : schema_faults(sources.crds.at(kind), kVersion, part))
      all.push_back(request_of(fault, kind, base_of(sources, kind), way));
  return all;
}

std::string keyword_of_rule(const OddRequest& request) {
  return std::string(to_string(request.way)) + request.rule.substr(request.rule.rfind(' '));
}

template <typename List>
auto any(const List& list, Randomness& chance) {
  return *std::next(list.begin(), static_cast<std::ptrdiff_t>(chance.next() % list.size()));
}

void shuffle(std::vector<OddRequest>& all, Randomness& chance) {
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[chance.next() % i]);
}

}  // namespace

std::string_view to_string(Way way) {
  switch (way) {
    case Way::Create: return "create";
    case Way::Update: return "update";
    case Way::Status: return "status";
  }
  return "";
}

std::vector<OddRequest> requests_of_rules(const OddSources& sources) {
  std::vector<OddRequest> all;
  for (const json::value& row : sources.rules.as_array()) {
    const json::object& rule = row.as_object();
    const Way way = rule.contains("way") ? Way::Update : Way::Create;
    for (const json::value& one : rule.at("kinds").as_array()) {
      const std::string kind(one.as_string());
      const json::value& base = base_of(sources, kind);
      for (const json::value& odd : odd_objects(rule, base))
        all.push_back(request_of(std::string(rule.at("rule").as_string()), kind, way, base, odd));
    }
  }
  return all;
}

std::vector<OddRequest> requests_of_schemas(const OddSources& sources, std::size_t more, Randomness& chance) {
  std::vector<OddRequest> chosen;
  std::vector<OddRequest> others;
  for (const auto& [kind, crd] : sources.crds) {
    auto all = faults_of(sources, kind);
    shuffle(all, chance);
    std::set<std::string> keywords;
    for (OddRequest& one : all)
      (keywords.insert(keyword_of_rule(one)).second ? chosen : others).push_back(std::move(one));
  }
  shuffle(others, chance);
  others.resize(std::min(more, others.size()));
  for (OddRequest& one : others) chosen.push_back(std::move(one));
  return chosen;
}

std::vector<OddRequest> random_requests(const OddSources& sources, std::size_t count, Randomness& chance) {
  std::vector<OddRequest> all;
  while (all.size() < count) {
    const auto described = any(sources.edits.as_object(), chance);
    const json::value& base = described.value().at("base");
    const Way way = chance.next() % 2 == 0 ? Way::Create : Way::Update;
    json::value odd = base;
    std::string rule = "edits of";
    for (std::uint64_t edits = 1 + chance.next() % 3; edits > 0; --edits) {
      const auto edit = any(described.value().at("edits").as_object(), chance);
      if (way == Way::Update && edit.key() == "/metadata/name") continue;
      odd = put(std::move(odd), edit.key(), any(edit.value().as_array(), chance));
      rule += " " + std::string(edit.key());
    }
    all.push_back(request_of(rule, std::string(described.key()), way, base, odd));
  }
  return all;
}

}  // namespace capstan::envtest
