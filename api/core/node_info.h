// NodeSystemInfo: what a kubelet says about the system it runs on. Part of a Node's status and copied to its
// Machine's; the cache holds it once for both. A plain value.
#pragma once

#include <array>
#include <functional>
#include <optional>

#include "api/schema/field.h"

namespace capstan::api {

struct NodeSwap {
  std::optional<std::int64_t> capacity = {};
  UnknownFields unknown = {};
  bool operator==(const NodeSwap&) const = default;
};
template <>
inline constexpr auto members<NodeSwap> = std::array{
    member<&NodeSwap::capacity>("capacity", {.doc = "Swap there is, in bytes."}),
};

struct NodeSystemInfo {
  Uid machine_id = {};  // as texts of their own these three would cost 80 bytes each
  Uid system_uuid = {};
  Uid boot_id = {};
  Text kernel_version = {};
  Text os_image = {};
  Text container_runtime_version = {};
  Text kubelet_version = {};
  Text kube_proxy_version = {};  // what newer kubelets leave empty; required all the same
  Text operating_system = {};
  Text architecture = {};
  Boxed<NodeSwap> swap = {};
  UnknownFields unknown = {};
  bool operator==(const NodeSystemInfo&) const = default;
};
template <>
inline constexpr auto members<NodeSystemInfo> = std::array{
    member<&NodeSystemInfo::machine_id>("machineID",
                                        {.required = true, .doc = "Content of /etc/machine-id."}),
    member<&NodeSystemInfo::system_uuid>("systemUUID", {.required = true, .doc = "The hardware's own UUID."}),
    member<&NodeSystemInfo::boot_id>("bootID", {.required = true, .doc = "Changes with every boot."}),
    member<&NodeSystemInfo::kernel_version>("kernelVersion", {.required = true, .doc = "As uname -r says."}),
    member<&NodeSystemInfo::os_image>("osImage",
                                      {.required = true, .doc = "Name of the operating system's release."}),
    member<&NodeSystemInfo::container_runtime_version>(
        "containerRuntimeVersion", {.required = true, .doc = "Container runtime and its version."}),
    member<&NodeSystemInfo::kubelet_version>("kubeletVersion",
                                             {.required = true, .doc = "Version of the kubelet."}),
    member<&NodeSystemInfo::kube_proxy_version>(
        "kubeProxyVersion", {.required = true, .doc = "Obsolete; was the version of kube-proxy."}),
    member<&NodeSystemInfo::operating_system>("operatingSystem",
                                              {.required = true, .doc = "linux or windows."}),
    member<&NodeSystemInfo::architecture>("architecture", {.required = true, .doc = "As amd64 or arm64."}),
    member<&NodeSystemInfo::swap>("swap", {.doc = "Swap space."}),
};

}  // namespace capstan::api

template <>
struct std::hash<capstan::api::NodeSystemInfo> {
  std::size_t operator()(const capstan::api::NodeSystemInfo& system) const noexcept;
};

namespace capstan::api {

// Of a Node and of its Machine: two handles on one value.
using NodeInfo = Interned<NodeSystemInfo>;

}  // namespace capstan::api
