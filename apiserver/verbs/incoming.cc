#include "apiserver/verbs/incoming.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "apiserver/document/document.h"
#include "apiserver/document/field_error.h"
#include "apiserver/schema/decode.h"
#include "apiserver/schema/prune.h"

namespace capstan::apiserver {
namespace {

constexpr std::size_t kShownStart = 25;

std::string cut(std::string_view text) {
  if (text.size() <= kShownStart) return std::string(text);
  return fmt::format("{} ...", text.substr(0, kShownStart));
}

Response unusable(const Target& target, std::string_view why) {
  return bad_request(fmt::format("{0} in version {1} cannot be handled as a {0}: {2}", target.type->kind,
                                 quoted(target.version->name), why));
}

// What a patch made of an object can't be read as one.
Response patch_unusable(const json::object& whole, std::string_view why) {
  return invalid({}, {invalid_value("patch", json::value(json::serialize(whole)), why)});
}

Response other_kind(const Target& target, std::string_view kind) {
  const auto group =
      target.type->group.empty() ? "core" : target.type->group.substr(0, target.type->group.find('.'));
  return bad_request(fmt::format(
      "{0} in version {1} cannot be handled as a {2}: converting ({3}.{0}) to ({4}.{2}): unknown conversion",
      kind, quoted(target.version->name), target.type->kind, target.version->name, group));
}

Response kind_missing(const Target& target, const json::object& object) {
  const auto text = json::serialize(object);
  return bad_request(fmt::format(
      "the object provided is unrecognized (must be of type {}): Object 'Kind' is missing in '{}' ({})",
      target.type->kind, text, cut(text)));
}

// Unknown and duplicate fields: a refusal, warnings, or nothing, as the client asked.
std::optional<Response> judge_fields(const Target& target, const Request& request, const json::object& whole,
                                     const std::vector<std::string>& unknown, Warnings& warnings) {
  std::vector<std::string> complaints = request.body.duplicate_fields;
  for (const auto& path : unknown) complaints.push_back("unknown field " + quoted(path));
  switch (request.query.field_validation.value_or(FieldValidation::Warn)) {
    case FieldValidation::Ignore: return {};
    case FieldValidation::Warn:
      warnings.insert(warnings.end(), complaints.begin(), complaints.end());
      return {};
    case FieldValidation::Strict: break;
  }
  if (complaints.empty()) return {};
  const auto why = fmt::format("strict decoding error: {}", fmt::join(complaints, ", "));
  return request.verb == Verb::Patch ? patch_unusable(whole, why) : unusable(target, why);
}

// Metadata reads as a Go struct for every kind.
std::optional<std::string> read_metadata(json::object& object, std::vector<std::string>& unknown) {
  auto& metadata = object["metadata"];
  if (metadata.is_null()) metadata.emplace_object();
  if (!metadata.is_object()) {
    return fmt::format("json: cannot unmarshal {} into Go value of type v1.ObjectMeta",
                       metadata.is_string()  ? "string"
                       : metadata.is_array() ? "array"
                                             : "number");
  }
  auto findings = decode_builtin(metadata.get_object(), object_meta_schema(), "metadata");
  for (auto& path : findings.unknown_fields) unknown.push_back(std::move(path));
  return findings.error;
}

std::optional<std::string> read_custom(const Core& core, json::object& object, const Schema& schema,
                                       std::vector<std::string>& unknown) {
  unknown = core.has(Defect::UnknownFieldsKept) ? std::vector<std::string>() : prune_unknown(object, schema);
  return read_metadata(object, unknown);
}

std::optional<std::string> read_builtin(json::object& object, const Schema& schema,
                                        std::vector<std::string>& unknown) {
  auto envelope = json::object{{"apiVersion", object["apiVersion"]}, {"kind", object["kind"]}};
  object.erase("apiVersion");
  object.erase("kind");
  if (find(object, {"metadata"}) == nullptr) object["metadata"].emplace_object();
  auto findings = decode_builtin(object, schema);
  unknown = std::move(findings.unknown_fields);
  for (auto& field : object) envelope.emplace(field.key(), std::move(field.value()));
  object = std::move(envelope);
  return findings.error;
}

}  // namespace

Answer<json::object> expected_object(const Target& target, const Body& body) {
  const auto* object = body.value.if_object();
  if (object == nullptr) {
    return Refusal(
        bad_request(fmt::format("the object provided is unrecognized (must be of type {}): couldn't get "
                                "version/kind; json parse error: the body is "
                                "no object",
                                target.type->kind)));
  }
  const auto version = text_at(*object, {"apiVersion"});
  const auto kind = text_at(*object, {"kind"});
  if (target.type->custom && kind.empty()) return Refusal(kind_missing(target, *object));
  if (!version.empty() && version != target.api_version()) {
    return Refusal(bad_request(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})", version,
                    target.api_version())));
  }
  if (!kind.empty() && kind != target.type->kind) {
    if (!target.type->custom) return Refusal(other_kind(target, kind));
    return Refusal(invalid(
        {.group = target.type->group, .plural = std::string(kind), .name = std::string(name_of(*object))},
        {invalid_value("kind", json::value(kind), "must be " + target.type->kind)}));
  }
  auto copy = *object;
  copy["apiVersion"] = target.api_version();
  copy["kind"] = target.type->kind;
  return copy;
}

namespace {

// JSON knows one kind of number: 2.0 is the integer 2.
void settle_numbers(json::value& value) {
  constexpr double kExact = 9007199254740992.0;
  if (auto* object = value.if_object()) {
    for (auto& field : *object) settle_numbers(field.value());
  } else if (auto* array = value.if_array()) {
    for (auto& one : *array) settle_numbers(one);
  } else if (const auto* number = value.if_double()) {
    if (std::trunc(*number) == *number && std::abs(*number) < kExact)
      value = static_cast<std::int64_t>(*number);
  } else if (const auto* whole = value.if_uint64()) {
    if (*whole <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      value = static_cast<std::int64_t>(*whole);
  }
}

}  // namespace

Answer<json::object> shaped(const Core& core, const Target& target, json::object object,
                            const Request& request, Warnings& warnings) {
  for (auto& field : object) settle_numbers(field.value());
  std::vector<std::string> unknown;
  const auto& schema = *target.version->schema;
  const bool strict = request.query.field_validation == FieldValidation::Strict;
  const auto whole =
      request.verb == Verb::Patch && (strict || !target.type->custom) ? object : json::object();
  const auto error = target.type->custom ? read_custom(core, object, schema, unknown)
                                         : read_builtin(object, schema, unknown);
  if (error)
    return Refusal(request.verb == Verb::Patch && !target.type->custom ? patch_unusable(whole, *error)
                                                                       : unusable(target, *error));
  if (auto refusal = judge_fields(target, request, whole, unknown, warnings))
    return Refusal(std::move(*refusal));
  fill_defaults(core, target, object);
  return object;
}

void fill_defaults(const Core& core, const Target& target, json::object& object) {
  if (core.has(Defect::DefaultsMissing)) return;
  json::value document = std::move(object);
  if (target.type->custom) drop_nulls(document, *target.version->schema);
  apply_defaults(document, *target.version->schema);
  object = std::move(document.get_object());
  if (target.strategy->fill_defaults != nullptr) target.strategy->fill_defaults(object);
}

}  // namespace capstan::apiserver
