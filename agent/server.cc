#include "agent/server.h"

#include <boost/json.hpp>

#include "agent/checksum.h"
#include "api/bootstrap/names.h"
#include "api/core/secret.h"
#include "base/base64.h"
#include "base/safeguards.h"
#include "base/try.h"
#include "kube/resources.h"

namespace capstan::agent {
namespace {

namespace json = boost::json;

constexpr std::string_view kKubeSystem = "kube-system";
constexpr std::string_view kSigner = "kubernetes.io/kube-apiserver-client";
constexpr std::size_t kNameDigits = 32;

kube::Resource requests() {
  return {.group = "certificates.k8s.io",
          .version = "v1",
          .plural = "certificatesigningrequests",
          .kind = "CertificateSigningRequest",
          .namespaced = false};
}

// The same request has the same name: after a crash it is found, not made twice.
std::string name_of(std::string_view request_pem) {
  return "capstan-agent-" + checksum_of(request_pem).substr(0, kNameDigits);
}

json::value request_object(const std::string& name, std::string_view request_pem) {
  return {{"apiVersion", "certificates.k8s.io/v1"},
          {"kind", "CertificateSigningRequest"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"request", base64_encode(request_pem)},
            {"signerName", kSigner},
            {"usages", {"digital signature", "client auth"}}}}};
}

const json::value* member_of(const json::value& document, std::string_view pointer) {
  boost::system::error_code error;
  return document.find_pointer(pointer, error);
}

std::string text_at(const json::value& document, std::string_view pointer) {
  const json::value* found = member_of(document, pointer);
  return found != nullptr && found->is_string() ? std::string(std::string_view(found->get_string())) : "";
}

std::string why_refused(const json::value& request) {
  const json::value* conditions = member_of(request, "/status/conditions");
  if (conditions == nullptr || !conditions->is_array()) return {};
  for (const json::value& condition : conditions->get_array()) {
    const std::string type = text_at(condition, "/type");
    if (type == "Denied" || type == "Failed") return type + ": " + text_at(condition, "/message");
  }
  return {};
}

Result<std::optional<std::string>> certificate_in(const json::value& request) {
  if (const std::string why = why_refused(request); !why.empty())
    return fail(Code::Invalid, "the request for a certificate was refused: " + why);
  const std::string encoded = text_at(request, "/status/certificate");
  if (encoded.empty()) return std::optional<std::string>();
  return std::optional(TRY(base64_decode(encoded)));
}

std::string revealed(const api::SecretContent& secret, std::string_view key) {
  const auto* value = secret.find(key);
  return value == nullptr ? std::string() : value->reveal();
}

Annotations texts_at(const json::value& object, std::string_view pointer) {
  Annotations texts;
  const json::value* found = member_of(object, pointer);
  if (found == nullptr || !found->is_object()) return texts;
  for (const auto& [key, value] : found->get_object())
    if (value.is_string()) texts[std::string(key)] = std::string(std::string_view(value.get_string()));
  return texts;
}

json::object patch_of(const AnnotationChanges& changes) {
  json::object patch;
  for (const auto& [key, value] : changes) patch[key] = value ? json::value(*value) : json::value();
  return patch;
}

}  // namespace

Result<std::optional<std::string>> signed_certificate(kube::Client& client, std::string_view request_pem,
                                                      const Deadline& deadline) {
  const std::string name = name_of(request_pem);
  const kube::ObjectKey key{.name = name};
  auto made = client.create(requests(), key, request_object(name, request_pem), {}, deadline);
  if (made) return certificate_in(*made);
  if (made.error().code != Code::AlreadyExists) return fail(made.error().context("ask for a certificate"));
  auto found = client.get(requests(), key, deadline);
  if (!found) return fail(found.error().context("look for the certificate"));
  return certificate_in(*found);
}

kube::ObjectKey secret_key(const std::string& secret) {
  return {.namespace_ = std::string(kKubeSystem), .name = secret};
}

Result<Offer> offer_in(const json::value& secret) {
  using namespace api::bootstrap;
  const auto content = TRY(api::read_secret(secret));
  Offer offer{.text = revealed(content, node_config_key::kConfig),
              .checksum = revealed(content, node_config_key::kChecksum)};
  const Annotations annotations = texts_at(secret, "/metadata/annotations");
  if (const auto release = annotations.find(annotation::kReleased); release != annotations.end())
    offer.release = release->second;
  if (checksum_of(offer.text) == offer.checksum || is_off(Safeguard::Checksums)) return offer;
  return fail(Code::Invalid, "Secret " + text_at(secret, "/metadata/name") +
                                 ": config.json does not have the checksum that stands beside it");
}

OwnNode own_node_in(const json::value& node) {
  return {.annotations = texts_at(node, "/metadata/annotations"),
          .labels = texts_at(node, "/metadata/labels"),
          .kubelet_version = text_at(node, "/status/nodeInfo/kubeletVersion"),
          .resource_version = version_of(node)};
}

Result<OwnNode> mark_node(kube::Client& client, const kube::ObjectKey& node, const NodeMarks& marks,
                          const Deadline& deadline, const std::string& version) {
  json::object metadata;
  if (!marks.annotations.empty()) metadata["annotations"] = patch_of(marks.annotations);
  if (!marks.labels.empty()) metadata["labels"] = patch_of(marks.labels);
  if (!version.empty()) metadata["resourceVersion"] = version;
  auto patched =
      client.patch(kube::resources::nodes(), node, {{"metadata", std::move(metadata)}}, {}, deadline);
  if (!patched) return fail(patched.error().context("write to Node " + node.name));
  return own_node_in(*patched);
}

std::string version_of(const json::value& object) { return text_at(object, "/metadata/resourceVersion"); }

}  // namespace capstan::agent
