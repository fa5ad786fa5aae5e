// What the webhook certificates of our package are called in a cluster: the Secret, the Service they are for,
// the objects whose bundles name the authority. Constants; used in this folder and by wiring.
#pragma once

#include <array>
#include <string_view>

namespace capstan::webhooks::certificates {

inline constexpr std::string_view kService = "capi-webhook-service";
inline constexpr std::string_view kMutating = "capi-mutating-webhook-configuration";
inline constexpr std::string_view kValidating = "capi-validating-webhook-configuration";

// Those that config/crd gives a conversion webhook.
inline constexpr std::array<std::string_view, 9> kDefinitions = {
    "clusters.cluster.x-k8s.io",          "ipaddressclaims.ipam.cluster.x-k8s.io",
    "ipaddresses.ipam.cluster.x-k8s.io",  "machinedeployments.cluster.x-k8s.io",
    "machinedrainrules.cluster.x-k8s.io", "machinehealthchecks.cluster.x-k8s.io",
    "machinepools.cluster.x-k8s.io",      "machines.cluster.x-k8s.io",
    "machinesets.cluster.x-k8s.io",
};

// cert-manager's Secret has another name: both may be there while one mode takes the place of the other.
inline constexpr std::string_view kSecret = "capi-webhook-self-managed-cert";

namespace key {
inline constexpr std::string_view kAuthority = "ca.crt";  // signed what is served
inline constexpr std::string_view kAuthorityKey = "ca.key";
inline constexpr std::string_view kServing = "tls.crt";
inline constexpr std::string_view kServingKey = "tls.key";
inline constexpr std::string_view kNextAuthority = "next-ca.crt";  // to be served once it is trusted
inline constexpr std::string_view kNextAuthorityKey = "next-ca.key";
inline constexpr std::string_view kNextServing = "next-tls.crt";
inline constexpr std::string_view kNextServingKey = "next-tls.key";
inline constexpr std::string_view kRetired = "retired-ca.crt";  // still trusted, until it is dropped
}  // namespace key

namespace annotation {
// On the Secret. With any value: a new authority is wanted.
inline constexpr std::string_view kRotate = "capstan.dev/rotate-webhook-certificates";
// On the Secret: how far a rotation has come, and since when.
inline constexpr std::string_view kPhase = "capstan.dev/webhook-certificates-phase";
// On the objects with bundles: cert-manager would write its own authority into them.
inline constexpr std::string_view kInjectedFrom = "cert-manager.io/inject-ca-from";
}  // namespace annotation

}  // namespace capstan::webhooks::certificates
