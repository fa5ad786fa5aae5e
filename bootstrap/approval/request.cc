#include "bootstrap/approval/request.h"

#include <boost/json.hpp>

#include "api/bootstrap/names.h"
#include "base/base64.h"

namespace capstan::bootstrap::approval {
namespace {

namespace json = boost::json;

constexpr std::string_view kTokenUser = "system:bootstrap:";
constexpr std::string_view kNodeUser = "system:node:";
constexpr std::string_view kReason = "CapstanAgent";
// Common name and organization.
constexpr std::size_t kSubjectEntries = 2;

std::string text_at(const json::value& object, std::string_view pointer) {
  json::error_code absent;
  const json::value* text = object.find_pointer(pointer, absent);
  return text != nullptr && text->is_string() ? std::string(text->as_string()) : std::string();
}

std::vector<std::string> texts_at(const json::value& object, std::string_view pointer) {
  std::vector<std::string> texts;
  json::error_code absent;
  const json::value* list = object.find_pointer(pointer, absent);
  if (list == nullptr || !list->is_array()) return texts;
  for (const json::value& one : list->as_array())
    if (one.is_string()) texts.emplace_back(one.as_string());
  return texts;
}

void add_decision(const json::value& object, Request& request) {
  json::error_code absent;
  const json::value* list = object.find_pointer("/status/conditions", absent);
  if (list == nullptr || !list->is_array()) return;
  for (const json::value& condition : list->as_array()) {
    const std::string type = text_at(condition, "/type");
    request.approved = request.approved || type == "Approved";
    request.decided = request.decided || type == "Approved" || type == "Denied";
  }
}

std::optional<net::SigningRequestFacts> subject_in(const json::value& object) {
  const auto pem = base64_decode(text_at(object, "/spec/request"));
  if (!pem) return std::nullopt;
  auto facts = net::read_signing_request(*pem);
  if (!facts || !facts->common_name.starts_with(api::bootstrap::kAgentUserPrefix)) return std::nullopt;
  return std::move(*facts);
}

// "namespace", "name" of "<prefix>namespace:name"; nothing for any other text.
std::optional<api::ObjectKey> key_after(std::string_view prefix, std::string_view text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  const auto colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  api::ObjectKey key{.namespace_ = std::string(text.substr(0, colon)),
                     .name = std::string(text.substr(colon + 1))};
  if (key.namespace_.empty() || key.name.empty() || key.name.contains(':')) return std::nullopt;
  return key;
}

std::string after(std::string_view prefix, const std::string& text) {
  return text.starts_with(prefix) ? text.substr(prefix.size()) : std::string();
}

}  // namespace

const kube::Resource& signing_requests() {
  static const kube::Resource resource = {.group = "certificates.k8s.io",
                                          .version = "v1",
                                          .plural = "certificatesigningrequests",
                                          .kind = "CertificateSigningRequest",
                                          .namespaced = false};
  return resource;
}

std::optional<Request> read_request(const json::value& object) {
  if (text_at(object, "/spec/signerName") != kSigner) return std::nullopt;
  auto subject = subject_in(object);
  if (!subject) return std::nullopt;
  Request request{.name = text_at(object, "/metadata/name"),
                  .version = text_at(object, "/metadata/resourceVersion"),
                  .requester = text_at(object, "/spec/username"),
                  .groups = texts_at(object, "/spec/groups"),
                  .usages = texts_at(object, "/spec/usages"),
                  .subject = std::move(*subject)};
  add_decision(object, request);
  return request;
}

std::optional<Identity> identity_in(const Request& request) {
  const net::SigningRequestFacts& subject = request.subject;
  if (subject.asks_for_extensions || subject.subject_entries != kSubjectEntries ||
      subject.organizations.size() != 1)
    return std::nullopt;
  const auto machine = key_after(api::bootstrap::kAgentUserPrefix, subject.common_name);
  const auto config = key_after(api::bootstrap::kAgentGroupPrefix, subject.organizations.front());
  if (!machine || !config || machine->namespace_ != config->namespace_) return std::nullopt;
  return Identity{.namespace_ = machine->namespace_, .machine = machine->name, .node_config = config->name};
}

std::string token_id_of(const Request& request) { return after(kTokenUser, request.requester); }

std::string node_of(const Request& request) { return after(kNodeUser, request.requester); }

json::value decision_patch(Decision decision, std::string_view message, std::string_view version) {
  const json::object condition = {{"type", decision == Decision::Approve ? "Approved" : "Denied"},
                                  {"status", "True"},
                                  {"reason", kReason},
                                  {"message", message}};
  return json::object{{"metadata", json::object{{"resourceVersion", version}}},
                      {"status", json::object{{"conditions", json::array{condition}}}}};
}

}  // namespace capstan::bootstrap::approval
