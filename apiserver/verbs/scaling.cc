#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "apiserver/builtin/builtin.h"
#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"
#include "apiserver/schema/decode.h"
#include "apiserver/verbs/subresources.h"
#include "apiserver/verbs/writing.h"
#include "kube/json_patch.h"
#include "kube/merge_patch.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kScaleVersion = "autoscaling/v1";

std::vector<std::string> steps_of(std::string_view path) {
  std::vector<std::string> steps;
  for (path.remove_prefix(path.starts_with('.') ? 1 : 0); !path.empty();) {
    const auto dot = path.find('.');
    steps.emplace_back(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return steps;
}

const json::value* at_path(const json::object& object, std::string_view path) {
  const json::object* here = &object;
  const json::value* found = nullptr;
  for (const auto& step : steps_of(path)) {
    found = here == nullptr ? nullptr : here->if_contains(step);
    if (found == nullptr) return nullptr;
    here = found->if_object();
  }
  return found;
}

void put_at(json::object& object, std::string_view path, json::value value) {
  const auto steps = steps_of(path);
  json::object* here = &object;
  for (std::size_t i = 0; i + 1 < steps.size(); ++i) here = &object_in(*here, steps[i]);
  (*here)[steps.back()] = std::move(value);
}

// The selector as one text: built-in kinds hold an object of labels.
std::string selector_text(const json::value* selector) {
  if (selector == nullptr) return {};
  if (selector->is_string()) return std::string(selector->get_string());
  std::vector<std::string> terms;
  const auto* labels = selector->is_object() ? object_at(selector->get_object(), {"matchLabels"}) : nullptr;
  if (labels != nullptr) {
    for (const auto& label : *labels) {
      terms.push_back(fmt::format("{}={}", std::string_view(label.key()), text_of(label.value())));
    }
  }
  std::ranges::sort(terms);
  return fmt::format("{}", fmt::join(terms, ","));
}

json::object scale_of(const ScalePaths& paths, const json::object& object) {
  json::object metadata;
  for (const std::string_view field : {"name", "namespace", "uid", "resourceVersion", "creationTimestamp"}) {
    if (const auto* value = find(object, {"metadata", field})) metadata[field] = *value;
  }
  json::object spec;
  const auto* wanted = at_path(object, paths.spec_replicas);
  if (wanted != nullptr && wanted->is_int64()) spec["replicas"] = *wanted;
  const auto* actual = at_path(object, paths.status_replicas);
  json::object status{{"replicas", actual != nullptr && actual->is_int64() ? *actual : json::value(0)}};
  const auto selector =
      paths.label_selector.empty() ? std::string() : selector_text(at_path(object, paths.label_selector));
  if (!selector.empty()) status["selector"] = selector;
  return {{"kind", "Scale"},
          {"apiVersion", kScaleVersion},
          {"metadata", std::move(metadata)},
          {"spec", std::move(spec)},
          {"status", std::move(status)}};
}

Answer<json::object> wanted_scale(const Request& request, const json::object& current) {
  json::value document = current;
  if (request.verb == Verb::Update) {
    document = request.body.value;
  } else if (request.patch_type == kube::PatchType::Json) {
    if (!kube::apply_json_patch(document, request.body.value)) {
      return Refusal(
          status_error(422, "Invalid", "the server rejected our request due to an error in our request"));
    }
  } else {
    kube::apply_merge_patch(document, request.body.value);
  }
  auto* scale = document.if_object();
  if (scale == nullptr) return Refusal(bad_request("the body is not a Scale"));
  const auto version = text_at(*scale, {"apiVersion"});
  if (text_at(*scale, {"kind"}) != "Scale" || version != kScaleVersion) {
    return Refusal(bad_request(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})", version,
                    kScaleVersion)));
  }
  scale->erase("apiVersion");
  scale->erase("kind");
  const auto findings = decode_builtin(*scale, *builtin_type("io.k8s.api.autoscaling.v1.Scale"));
  if (findings.error) {
    return Refusal(bad_request(
        fmt::format("Scale in version \"v1\" cannot be handled as a Scale: {}", *findings.error)));
  }
  return std::move(*scale);
}

// The live object with the wanted count, and with the version and uid the client believes in.
Answer<json::object> rescaled(const Core& core, const Target& target, const Request& request,
                              const json::object& live) {
  const auto& paths = *target.version->scale;
  const auto scale = wanted_scale(request, scale_of(paths, live));
  if (!scale) return Refusal(scale.error());
  if (const auto name = text_at(*scale, {"metadata", "name"}); !name.empty() && name != target.key.name) {
    return Refusal(bad_request(fmt::format(
        "the name of the object ({}) does not match the name on the URL ({})", name, target.key.name)));
  }
  const auto replicas = integer_at(*scale, {"spec", "replicas"}).value_or(0);
  if (replicas < 0) {
    return Refusal(invalid(target.kind_subject(), {invalid_value(paths.spec_replicas, replicas,
                                                                 "should be a non-negative integer")}));
  }
  auto object = live;
  put_at(object, paths.spec_replicas, replicas);
  for (const std::string_view field : {"uid", "resourceVersion"}) {
    const auto* believed = find(*scale, {"metadata", field});
    if (believed != nullptr && !is_empty(*believed)) metadata_of(object)[field] = *believed;
  }
  own_update(core, target, request, object, &live);
  return object;
}

}  // namespace

Response scale_object(Core& core, const Target& target, const Request& request) {
  const auto& paths = *target.version->scale;
  const auto as_scale = [&](Response response) {
    if (!response.ok()) return response;
    response.object = std::make_shared<const json::object>(scale_of(paths, *response.object));
    response.type = nullptr;
    return response;
  };
  if (request.verb == Verb::Get) {
    const auto stored = core.storage.find(target.collection, target.key);
    if (!stored) return not_found(target.subject());
    auto object = as_requested(core, target, stored);
    return object ? as_scale(answer(target, std::move(*object))) : std::move(object).error();
  }
  if (request.verb != Verb::Update && request.verb != Verb::Patch) {
    return method_not_supported(target.subject(), to_string(request.verb));
  }
  return as_scale(update(core, target, request, [&](const ObjectPtr& live, Warnings&) {
    return rescaled(core, target, request, *live);
  }));
}

}  // namespace capstan::apiserver
