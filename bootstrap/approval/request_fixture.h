// Requests for agents' certificates as an API server has them. For tests.
#pragma once

#include <boost/json.hpp>
#include <string_view>

#include "base/base64.h"

namespace capstan::bootstrap::approval {

// Of "O=capstan.dev:node-config:default:workers, CN=capstan.dev:agent:default:m1".
inline constexpr std::string_view kRequestOfM1 = R"(-----BEGIN CERTIFICATE REQUEST-----
MIIBFDCBuwIBADBZMTAwLgYDVQQKDCdjYXBzdGFuLmRldjpub2RlLWNvbmZpZzpk
ZWZhdWx0OndvcmtlcnMxJTAjBgNVBAMMHGNhcHN0YW4uZGV2OmFnZW50OmRlZmF1
bHQ6bTEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAQ5PH085nYnANJxVbdnAJfV
RqZRFpX08bAKNCNpdFZBgxRO+tlXz71hs6nYhExt+7YocSDKgYiKJIoIXkz7OtlV
oAAwCgYIKoZIzj0EAwIDSAAwRQIhAMoC/e2T830Ns2ARUzI2FcnNCtX5QQGeq2z3
+G3nAuHzAiBLVEAruQfemIgKK0PRLJw3vtxvS8NNpFVsQDgyHDEDuw==
-----END CERTIFICATE REQUEST-----
)";
// The same of m2.
inline constexpr std::string_view kRequestOfM2 = R"(-----BEGIN CERTIFICATE REQUEST-----
MIIBEzCBuwIBADBZMTAwLgYDVQQKDCdjYXBzdGFuLmRldjpub2RlLWNvbmZpZzpk
ZWZhdWx0OndvcmtlcnMxJTAjBgNVBAMMHGNhcHN0YW4uZGV2OmFnZW50OmRlZmF1
bHQ6bTIwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATJGF1jatAcv1VVWL/aqpiS
FXQhyMCdxWs8TmpVTEMFQRaP6nufOisUQ/pdkvCktDdy47OqA+U+pwS+OtQGGloP
oAAwCgYIKoZIzj0EAwIDRwAwRAIgQ/8VzRBWmiRUnZL2e6bXHaYwD5WM+EmjR0To
KolaG2ICIHkM0Q0afwoeVtqkucb2u1qkNj+r+V7EVBstBVrJz0zY
-----END CERTIFICATE REQUEST-----
)";
// Of m1, with the alternative name a.example.
inline constexpr std::string_view kRequestWithNames = R"(-----BEGIN CERTIFICATE REQUEST-----
MIIBOzCB4gIBADBZMTAwLgYDVQQKDCdjYXBzdGFuLmRldjpub2RlLWNvbmZpZzpk
ZWZhdWx0OndvcmtlcnMxJTAjBgNVBAMMHGNhcHN0YW4uZGV2OmFnZW50OmRlZmF1
bHQ6bTEwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAR5u6ziia8phG+jQO1l9HA4
z6wGVS23CpGWxmz8CT2N2XYguoj52Et42/VG+CteZJjIRFkEILSniZTVj/Jgr5uY
oCcwJQYJKoZIhvcNAQkOMRgwFjAUBgNVHREEDTALgglhLmV4YW1wbGUwCgYIKoZI
zj0EAwIDSAAwRQIgBcSMn7fjYAbbQZ8wpnTqt7B13MrPcqYS7DVK36Ny0XoCIQCE
SLRpttOYSo49GEm+LgCIjRKOsPOP28op1jwsDeZ7Dg==
-----END CERTIFICATE REQUEST-----
)";

inline boost::json::value signing_request(std::string_view name, std::string_view pem,
                                          std::string_view requester) {
  return {{"apiVersion", "certificates.k8s.io/v1"},
          {"kind", "CertificateSigningRequest"},
          {"metadata", {{"name", name}}},
          {"spec",
           {{"request", base64_encode(pem)},
            {"signerName", "kubernetes.io/kube-apiserver-client"},
            {"username", requester},
            {"groups", boost::json::array{"system:authenticated"}},
            {"usages", boost::json::array{"client auth"}}}}};
}

}  // namespace capstan::bootstrap::approval
