#include "apiserver/http/negotiation.h"

#include <algorithm>

namespace capstan::apiserver {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// The value of a media type's parameter, "" without one.
std::string_view parameter(std::string_view type, std::string_view name) {
  while (type.find(';') != std::string_view::npos) {
    type.remove_prefix(type.find(';') + 1);
    const std::string_view pair = trimmed(type.substr(0, type.find(';')));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    if (pair.substr(0, equals) == name && equals < pair.size()) return pair.substr(equals + 1);
  }
  return {};
}

std::optional<Form> converted_form(std::string_view as, std::string_view group, std::string_view version) {
  if (as == "APIGroupDiscoveryList" && group == "apidiscovery.k8s.io" && version == "v2")
    return Form::AggregatedDiscovery;
  if (group != "meta.k8s.io" || version != "v1") return {};
  if (as == "Table") return Form::Table;
  if (as == "PartialObjectMetadata") return Form::PartialMetadata;
  if (as == "PartialObjectMetadataList") return Form::PartialMetadataList;
  return {};
}

std::optional<Form> form_of(std::string_view type) {
  const std::string_view media = trimmed(type.substr(0, type.find(';')));
  if (media == "application/yaml") return Form::Yaml;
  if (media != "application/json" && media != "application/*" && media != "*/*") return {};
  const std::string_view as = parameter(type, "as");
  if (as.empty()) return Form::Json;
  return converted_form(as, parameter(type, "g"), parameter(type, "v"));
}

}  // namespace

std::optional<Form> acceptable_form(std::string_view accept) {
  if (trimmed(accept).empty()) return Form::Json;
  while (!accept.empty()) {
    const std::size_t end = std::min(accept.find(','), accept.size());
    if (const auto form = form_of(trimmed(accept.substr(0, end)))) return form;
    accept.remove_prefix(std::min(end + 1, accept.size()));
  }
  return {};
}

}  // namespace capstan::apiserver
