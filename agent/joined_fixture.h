// What stands on the disk of a machine that has joined: the kubelet's credentials and those of the agent. For
// tests, simulations and figures; any thread.
#pragma once

#include <string>

#include "agent/machine_fixture.h"
#include "agent/places.h"
#include "kubeconfig/kubeconfig.h"
#include "net/pki.h"

namespace capstan::agent {

// Key and certificate for a year, as PEM.
inline std::string credentials_of(const net::KeyAndCertificate& ca, const net::Subject& subject,
                                  WallTime now) {
  const auto made = net::issue(
      ca, {.subject = subject, .client = true, .not_before = now, .not_after = now + std::chrono::days(365)});
  return made->certificate_pem + made->private_key_pem.reveal();
}

// The kubelet of that Node has its certificate and its kubeconfig.
inline void put_kubelet_access(const ScratchRoot& machine, const net::KeyAndCertificate& ca,
                               const std::string& node, WallTime now) {
  const std::string pem = "/var/lib/kubelet/pki/kubelet-client-current.pem";
  machine.put(pem, credentials_of(ca, {.common_name = "system:node:" + node}, now));
  machine.put(kKubeletKubeconfig,
              kubeconfig::render({.clusters = {{.name = "c", .server = "https://10.0.0.1:6443"}},
                                  .users = {{.name = "u", .certificate_file = pem, .private_key_file = pem}},
                                  .contexts = {{.name = "x", .cluster = "c", .user = "u"}},
                                  .current_context = "x"})
                  ->reveal());
}

}  // namespace capstan::agent
