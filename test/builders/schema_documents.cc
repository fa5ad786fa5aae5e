#include "test/builders/schema_documents.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "api/schema/lists_in_text.h"

namespace capstan::builders {
namespace {

namespace json = boost::json;

constexpr std::string_view kConversionData = "cluster.x-k8s.io/conversion-data";
constexpr std::array kTexts = {"a",
                               "worker-0",
                               "Ready",
                               "v1.34.1",
                               "zone/b",
                               "x.y.z/Key",
                               "<&> \"quoted\"",
                               "gr\u00fc\u00dfe",
                               "line\nbreak \u2028",
                               "True"};
constexpr std::array kTimes = {"2025-11-03T10:20:30Z", "1999-12-31T23:59:59Z", "2026-02-28T12:00:00+02:00",
                               "2025-06-01T00:00:00.123456Z"};
constexpr std::array kDurations = {"0s",  "90s",       "1m30.5s",  "10m0s",   "1h",  "300ms",
                                   "-5s", "1.999999s", "2562047h", "24h0m0s", "1us", "595h31m24s"};
constexpr std::array kOldApiVersions = {"infrastructure.cluster.x-k8s.io/v1beta1",
                                        "bootstrap.cluster.x-k8s.io/v1alpha3", "v1", "example.com/v1"};
constexpr std::array kPercentages = {"10%", "100%", "0%", "5"};

class Generator {
 public:
  Generator(Randomness& randomness, Fill fill) : randomness_(randomness), fill_(fill) {}

  json::object object(const json::object& schema) {
    const auto* properties = property_table(schema);
    if (properties == nullptr) return map(schema);
    if (is_reference(*properties)) return reference();
    json::object out;
    for (const auto& [name, inner] : *properties) {
      if (is_required(schema, name) || chance(2)) out[name] = value(name, inner.as_object());
    }
    if (out.empty() && fill_ == Fill::Allowed && schema.contains("minProperties")) return object(schema);
    return out;
  }

 private:
  bool chance(std::uint64_t of) { return below(randomness_, of) == 0; }
  template <typename Choices>
  std::string_view one_of(const Choices& choices) {
    return choices[below(randomness_, std::size(choices))];
  }

  static const json::object* property_table(const json::object& schema) {
    const auto* found = schema.if_contains("properties");
    return found == nullptr ? nullptr : found->if_object();
  }
  static bool is_required(const json::object& schema, std::string_view name) {
    const auto* required = schema.if_contains("required");
    if (required == nullptr) return false;
    return std::ranges::any_of(required->as_array(),
                               [&](const auto& entry) { return entry.as_string() == name; });
  }
  static bool is_reference(const json::object& properties) {
    return properties.size() == 3 && properties.contains("apiGroup") && properties.contains("kind");
  }
  static std::int64_t number_at(const json::object& schema, std::string_view key, std::int64_t otherwise) {
    const auto* found = schema.if_contains(key);
    return found == nullptr ? otherwise : found->to_number<std::int64_t>();
  }

  json::object reference() {
    const auto kinds = api::detail::parts_of(kReferredKinds);
    const std::string_view kind = one_of(kinds);
    const auto slash = kind.find('/');
    return {{"apiGroup", json::string(kind.substr(0, slash))},
            {"kind", json::string(kind.substr(slash + 1))},
            {"name", fmt::format("object-{}", below(randomness_, 100))}};
  }

  json::object map(const json::object& schema) {
    json::object out;
    const auto* inner = schema.if_contains("additionalProperties");
    const auto* values = inner == nullptr ? nullptr : inner->if_object();
    for (std::uint64_t i = below(randomness_, 4); values != nullptr && i > 0; --i) {
      const std::string key = fmt::format("key-{}", below(randomness_, 50));
      out[key] = value("", *values);
    }
    return out;
  }

  json::value value(std::string_view name, const json::object& schema) {
    if (schema.contains("x-kubernetes-int-or-string")) return int_or_string();
    const auto* stated = schema.if_contains("type");
    const std::string_view type =
        stated == nullptr ? std::string_view() : std::string_view(stated->as_string());
    if (fill_ == Fill::OftenEmpty && chance(2)) return empty(type, name, schema);
    if (type == "object") return object(schema);
    if (type == "array") return list(name, schema);
    if (type == "boolean") return chance(2);
    if (type == "integer") return integer(schema);
    if (type == "string") return text(name, schema);
    return json::object{{"any", "thing"}};
  }

  // Enumerations, times and durations have no empty value; a schema of an integer may say that 0 is none.
  json::value empty(std::string_view type, std::string_view name, const json::object& schema) {
    if (type == "object") return json::object();
    if (type == "array") return json::array();
    if (type == "boolean") return false;
    if (type == "integer") return 0;
    const bool is_text = !schema.contains("format") && !name.ends_with("imeout");
    return is_text ? json::value("") : text(name, schema);
  }

  json::value int_or_string() {
    if (chance(2)) return json::string(one_of(kPercentages));
    return static_cast<std::int64_t>(below(randomness_, 5));
  }

  json::value list(std::string_view name, const json::object& schema) {
    const auto least = static_cast<std::uint64_t>(number_at(schema, "minItems", 0));
    json::array out;
    for (std::uint64_t i = least + below(randomness_, 3); i > 0; --i) {
      out.push_back(value(name, schema.at("items").as_object()));
    }
    return out;
  }

  json::value integer(const json::object& schema) {
    const std::int64_t least = number_at(schema, "minimum", 0);
    const std::int64_t most = number_at(schema, "maximum", std::numeric_limits<std::int32_t>::max());
    if (chance(3)) return least;
    if (chance(6)) return most;
    return least + static_cast<std::int64_t>(
                       below(randomness_, static_cast<std::uint64_t>(std::min(most - least, 9999L))));
  }

  json::value text(std::string_view name, const json::object& schema) {
    if (const auto* choices = schema.if_contains("enum")) {
      return choices->as_array()[below(randomness_, choices->as_array().size())];
    }
    const auto* format = schema.if_contains("format");
    if (format != nullptr && format->as_string() == "date-time") return json::string(one_of(kTimes));
    if (format != nullptr && format->as_string() == "byte") return "Y2VydGlmaWNhdGU=";
    if (name == "timeout" || name.ends_with("Timeout")) return json::string(one_of(kDurations));
    if (name == "apiVersion") return json::string(one_of(kOldApiVersions));
    const bool may_be_empty = number_at(schema, "minLength", 0) == 0 && !schema.contains("pattern");
    if (may_be_empty && chance(5)) return "";
    return json::string(one_of(kTexts));
  }

  Randomness& randomness_;
  const Fill fill_;
};

json::object metadata_of(Randomness& randomness) {
  json::object metadata{{"name", fmt::format("name-{}", below(randomness, 1000))},
                        {"namespace", "here"},
                        {"uid", random_uuid(randomness)},
                        {"resourceVersion", "17"},
                        {"generation", 3},
                        {"creationTimestamp", "2025-11-03T10:20:30Z"}};
  if (below(randomness, 2) == 0)
    metadata["labels"] = json::object{{"cluster.x-k8s.io/cluster-name", "c"}, {"x", ""}};
  if (below(randomness, 2) == 0) metadata["annotations"] = json::object{{"note", "<kept> & \"whole\""}};
  if (below(randomness, 2) == 0) {
    metadata["ownerReferences"] = json::array{json::object{{"apiVersion", "cluster.x-k8s.io/v1beta1"},
                                                           {"kind", "Cluster"},
                                                           {"name", "c"},
                                                           {"uid", "5"},
                                                           {"controller", true}}};
    metadata["finalizers"] = json::array{"example.com/hold"};
  }
  return metadata;
}

json::value sorted(const json::value& value);

json::object sorted(const json::object& object) {
  std::vector<std::string_view> keys;
  for (const auto& entry : object) keys.push_back(entry.key());
  std::ranges::sort(keys);
  json::object out;
  for (const std::string_view key : keys) {
    const json::value& inner = object.at(key);
    out[key] =
        key == kConversionData && inner.is_string() ? sorted(json::parse(inner.as_string())) : sorted(inner);
  }
  return out;
}

json::value sorted(const json::value& value) {
  if (value.is_object()) return sorted(value.as_object());
  if (!value.is_array()) return value;
  json::array out;
  for (const json::value& inner : value.as_array()) out.push_back(sorted(inner));
  return out;
}

}  // namespace

const json::object& schema_of(const json::value& crd, std::string_view version) {
  for (const json::value& row : crd.at("spec").at("versions").as_array()) {
    if (row.at("name").as_string() == version) return row.at("schema").at("openAPIV3Schema").as_object();
  }
  throw std::runtime_error(fmt::format("no version {}", version));
}

json::object random_document(const json::value& crd, std::string_view version, Randomness& randomness,
                             Fill fill) {
  json::object document = Generator(randomness, fill).object(schema_of(crd, version));
  const json::object& spec = crd.at("spec").as_object();
  document["apiVersion"] = fmt::format("{}/{}", std::string_view(spec.at("group").as_string()), version);
  document["kind"] = spec.at("names").at("kind");
  document["metadata"] = metadata_of(randomness);
  return document;
}

json::value canonical(const json::value& document) { return sorted(document); }

}  // namespace capstan::builders
