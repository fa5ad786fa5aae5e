#include <fmt/format.h>

#include <algorithm>

#include "apiserver/builtin/strategies.h"
#include "apiserver/document/document.h"
#include "base/base64.h"

namespace capstan::apiserver {
namespace {

constexpr std::string_view kImmutable = "field is immutable";
constexpr std::string_view kSealed = "field is immutable when `immutable` is set";

void name_namespace(json::object& object) {
  const std::string name(name_of(object));
  if (!name.empty()) object_in(metadata_of(object), "labels")["kubernetes.io/metadata.name"] = name;
}

void begin_namespace(json::object& object) {
  auto& finalizers = array_in(object_in(object, "spec"), "finalizers");
  if (std::ranges::find(finalizers, json::value("kubernetes")) == finalizers.end())
    finalizers.emplace_back("kubernetes");
  object_in(object, "status")["phase"] = "Active";
}

bool valid_key(std::string_view key) {
  return !key.empty() && key.size() <= 253 && key != "." && key != ".." &&
         std::ranges::all_of(
             key, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.'; });
}

void check_keys(const json::object& object, std::string_view field, FieldErrors& errors) {
  const auto* map = object_at(object, {field});
  if (map == nullptr) return;
  for (const auto& one : *map) {
    if (valid_key(one.key())) continue;
    errors.push_back(
        invalid_value(entry(field, one.key()), json::value(one.key()),
                      "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. "
                      "'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is "
                      "'[-._a-zA-Z0-9]+')"));
  }
}

void check_sealed(const json::object& object, const json::object* before,
                  std::initializer_list<std::string_view> fields, FieldErrors& errors) {
  if (before == nullptr || !flag_at(*before, {"immutable"})) return;
  if (!flag_at(object, {"immutable"})) errors.push_back(forbidden_field("immutable", kSealed));
  for (const auto field : fields) {
    const auto* now = object.if_contains(field);
    const auto* then = before->if_contains(field);
    const bool same = now != nullptr && then != nullptr ? *now == *then : now == then;
    if (!same) errors.push_back(forbidden_field(std::string(field), kSealed));
  }
}

void check_config_map(const json::object& object, const json::object* before, FieldErrors& errors) {
  check_keys(object, "data", errors);
  check_keys(object, "binaryData", errors);
  check_sealed(object, before, {"data", "binaryData"}, errors);
}

void encode_string_data(json::object& object) {
  const auto* plain = object_at(object, {"stringData"});
  if (plain == nullptr) return;
  const auto copy = *plain;
  auto& data = object_in(object, "data");
  for (const auto& one : copy) data[one.key()] = base64_encode(text_of(one.value()));
  object.erase("stringData");
}

void check_secret(const json::object& object, const json::object* before, FieldErrors& errors) {
  check_keys(object, "data", errors);
  if (before != nullptr && text_at(object, {"type"}) != text_at(*before, {"type"})) {
    errors.push_back(invalid_value("type", object.at("type"), kImmutable));
  }
  check_sealed(object, before, {"data"}, errors);
}

void fill_service(json::object& object) {
  auto* spec = object_at(object, {"spec"});
  if (spec == nullptr) return;
  auto* ports = spec->if_contains("ports");
  if (ports == nullptr || !ports->is_array()) return;
  for (auto& port : ports->get_array()) {
    if (!port.is_object()) continue;
    auto& fields = port.get_object();
    const auto* target = fields.if_contains("targetPort");
    if (target == nullptr || is_empty(*target)) fields["targetPort"] = fields["port"];
  }
}

// A cluster IP that depends on the service alone, so that runs repeat.
void address_service(json::object& object) {
  auto& spec = object_in(object, "spec");
  if (text_at(spec, {"type"}) == "ExternalName") return;
  std::string address(text_at(spec, {"clusterIP"}));
  if (address.empty()) {
    const auto place = fmt::format("{}/{}", namespace_of(object), name_of(object));
    std::uint32_t hash = 2166136261U;
    for (const unsigned char c : place) hash = (hash ^ c) * 16777619U;
    address = fmt::format("10.0.0.{}", 2 + hash % 250);
  }
  spec["clusterIP"] = address;
  spec["clusterIPs"] = json::array{address};
  if (!spec.contains("ipFamilies")) spec["ipFamilies"] = json::array{"IPv4"};
  if (!spec.contains("ipFamilyPolicy")) spec["ipFamilyPolicy"] = "SingleStack";
}

void keep_address(json::object& object, const json::object& before) {
  auto& spec = object_in(object, "spec");
  for (const std::string_view field : {"clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy"}) {
    const auto* old = find(before, {"spec", field});
    if (old != nullptr && !spec.contains(field)) spec[field] = *old;
  }
}

void check_service(const json::object& object, const json::object* before, FieldErrors& errors) {
  const auto* ports = array_at(object, {"spec", "ports"});
  const auto type = text_at(object, {"spec", "type"});
  const bool headless = text_at(object, {"spec", "clusterIP"}) == "None";
  if (type != "ExternalName" && !headless && (ports == nullptr || ports->empty())) {
    errors.push_back(required("spec.ports"));
  }
  if (type != "ClusterIP" && type != "NodePort" && type != "LoadBalancer" && type != "ExternalName") {
    errors.push_back(unsupported_value("spec.type", json::value(type),
                                       {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"}));
  }
  if (before == nullptr || type == "ExternalName") return;
  const auto now = text_at(object, {"spec", "clusterIP"});
  const auto then = text_at(*before, {"spec", "clusterIP"});
  if (!then.empty() && now != then && text_at(*before, {"spec", "type"}) != "ExternalName") {
    errors.push_back(invalid_value("spec.clusterIPs[0]", json::value(now), "may not change once set"));
  }
}

void check_event(const json::object& object, const json::object* before, FieldErrors& errors) {
  if (before != nullptr) return;
  const auto ns = text_at(object, {"involvedObject", "namespace"});
  const auto own = namespace_of(object);
  if (ns != own && !(ns.empty() && own == "default")) {
    errors.push_back(
        invalid_value("involvedObject.namespace", json::value(ns), "does not match event.namespace"));
  }
}

void check_lease(const json::object& object, const json::object*, FieldErrors& errors) {
  const auto seconds = integer_at(object, {"spec", "leaseDurationSeconds"});
  if (seconds && *seconds <= 0) {
    errors.push_back(invalid_value("spec.leaseDurationSeconds", *seconds, "must be greater than 0"));
  }
  const auto transitions = integer_at(object, {"spec", "leaseTransitions"});
  if (transitions && *transitions < 0) {
    errors.push_back(
        invalid_value("spec.leaseTransitions", *transitions, "must be greater than or equal to 0"));
  }
}

}  // namespace

const Strategy kPlain{};
const Strategy kReturnsDeleted{.returns_deleted = true};
const Strategy kCreateOnUpdate{.create_on_update = true};
const Strategy kGeneration{.has_generation = true};

const Strategy kNamespace{
    .names = NameRule::Label, .fill_defaults = name_namespace, .prepare_create = begin_namespace};
const Strategy kConfigMap{.validate = check_config_map};
const Strategy kSecret{.fill_defaults = encode_string_data, .validate = check_secret};
const Strategy kService{.names = NameRule::Label,
                        .create_on_update = true,
                        .fill_defaults = fill_service,
                        .prepare_create = address_service,
                        .prepare_update = keep_address,
                        .validate = check_service};
const Strategy kEvent{.create_on_update = true, .validate = check_event};
const Strategy kLease{.unconditional_update = false, .create_on_update = true, .validate = check_lease};

}  // namespace capstan::apiserver
