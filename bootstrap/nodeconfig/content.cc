#include "bootstrap/nodeconfig/content.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>

#include "api/bootstrap/names.h"
#include "api/bootstrap/node_config_release.h"
#include "api/schema/encode.h"
#include "base/base64.h"
#include "bootstrap/labels.h"
#include "bootstrap/token.h"
#include "net/digest.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

namespace json = boost::json;
namespace annotation = api::bootstrap::annotation;
namespace key = api::bootstrap::node_config_key;
namespace label = api::bootstrap::label;

json::object annotations_for(const Release& release) {
  json::object annotations;
  annotations[annotation::kReleased] = release.text;
  annotations[annotation::kReleasedSince] = release.since.to_string();
  return annotations;
}

json::object data_of(const Content& content) {
  json::object data;
  data[key::kConfig] = base64_encode(content.text);
  data[key::kChecksum] = base64_encode(content.checksum);
  return data;
}

// "" when it is not there.
std::string text_at(const json::value& object, std::string_view section, std::string_view field) {
  json::error_code absent;
  const json::value* table = object.find_pointer(section, absent);
  if (table == nullptr || !table->is_object()) return {};
  const json::value* text = table->as_object().if_contains(field);
  return text != nullptr && text->is_string() ? std::string(text->as_string()) : std::string();
}

bool has_content(const json::value& secret, const Content& content) {
  const json::object wanted = data_of(content);
  return text_at(secret, "/data", key::kConfig) == wanted.at(key::kConfig).as_string() &&
         text_at(secret, "/data", key::kChecksum) == wanted.at(key::kChecksum).as_string();
}

}  // namespace

json::object labels_for(const api::ObjectKey& node_config) {
  json::object labels;
  labels[label::kNodeConfigNamespace] = label_value(node_config.namespace_);
  labels[label::kNodeConfigName] = label_value(node_config.name);
  return labels;
}

bool has_labels(const json::value& object, const api::ObjectKey& node_config) {
  return label_in(object, label::kNodeConfigNamespace) == label_value(node_config.namespace_) &&
         label_in(object, label::kNodeConfigName) == label_value(node_config.name);
}

Content content_of(const api::NodeConfigSpec& spec) {
  api::NodeConfigSpec for_nodes = spec;
  for_nodes.agent.reset();
  for_nodes.apply.max_failed.reset();
  Content content{.text = json::serialize(api::to_json(for_nodes))};
  content.checksum = fmt::format("{:02x}", fmt::join(net::sha256(content.text), ""));
  return content;
}

api::ObjectKey secret_key(const api::ObjectKey& node_config) {
  return {.namespace_ = key_of_token({}).namespace_,
          .name = api::bootstrap::node_config_secret_name(node_config.namespace_, node_config.name)};
}

json::value secret_object(const api::ObjectKey& node_config, const Content& content, const Release& release) {
  const api::ObjectKey secret = secret_key(node_config);
  return json::object{{"apiVersion", "v1"},
                      {"kind", "Secret"},
                      {"metadata", json::object{{"name", secret.name},
                                                {"namespace", secret.namespace_},
                                                {"labels", labels_for(node_config)},
                                                {"annotations", annotations_for(release)}}},
                      {"type", "Opaque"},
                      {"data", data_of(content)}};
}

json::value content_patch(const api::ObjectKey& node_config, const Content& content, const Release& release,
                          std::string_view version) {
  return json::object{{"metadata", json::object{{"resourceVersion", version},
                                                {"labels", labels_for(node_config)},
                                                {"annotations", annotations_for(release)}}},
                      {"data", data_of(content)}};
}

json::value release_patch(const Release& release, std::string_view version) {
  return json::object{
      {"metadata", json::object{{"resourceVersion", version}, {"annotations", annotations_for(release)}}}};
}

SecretSeen seen_in(const json::value& secret, const api::ObjectKey& node_config, const Content& content) {
  return {
      .version = text_at(secret, "/metadata", "resourceVersion"),
      .right = has_content(secret, content) && has_labels(secret, node_config),
      .release = {.text = text_at(secret, "/metadata/annotations", annotation::kReleased),
                  .since = Time::parse(text_at(secret, "/metadata/annotations", annotation::kReleasedSince))
                               .value_or(Time())}};
}

}  // namespace capstan::bootstrap::nodeconfig
