// English plurals as the flect library forms them, which upstream uses: a provider's CRD is found under the
// plural of its kind, so the oddities count. Used for CRD names and in condition messages. Pure functions.
#pragma once

#include <string>
#include <string_view>

namespace capstan::api::contract {

// "Machine" -> "Machines", "proxmoxproxy" -> "proxmoxproxies", "Class" -> "Classes".
std::string plural(std::string_view word);

// Name of the CRD of a kind: "dockermachines.infrastructure.cluster.x-k8s.io".
std::string crd_name(std::string_view group, std::string_view kind);

}  // namespace capstan::api::contract
