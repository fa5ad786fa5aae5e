// Where the agent keeps what is its own, and where things are that a NodeConfig may leave out. Constants.
#pragma once

#include <string_view>

namespace capstan::agent {

inline constexpr std::string_view kOwnFolder = "/var/lib/capstan-agent";
inline constexpr std::string_view kStateFile = "/var/lib/capstan-agent/state.json";
// The configuration in force, as the Secret had it: the agent goes on with it when no server answers.
inline constexpr std::string_view kConfigFile = "/var/lib/capstan-agent/config.json";
inline constexpr std::string_view kCertificateFile =
    "/var/lib/capstan-agent/agent.pem";  // key and certificate
// Key and request of the certificate that is asked for: after a crash it is the same request.
inline constexpr std::string_view kNextFile = "/var/lib/capstan-agent/next.pem";
inline constexpr std::string_view kLockFile = "/var/lib/capstan-agent/lock";

inline constexpr std::string_view kUnitFolder = "/etc/systemd/system/";
inline constexpr std::string_view kOwnUnit = "capstan-agent.service";

inline constexpr std::string_view kKubeletUnit = "kubelet.service";
inline constexpr std::string_view kKubeletConfiguration = "/var/lib/kubelet/config.yaml";
inline constexpr std::string_view kKubeletKubeconfig = "/etc/kubernetes/kubelet.conf";
inline constexpr std::string_view kBootstrapKubeconfig = "/etc/kubernetes/bootstrap-kubelet.conf";
inline constexpr std::string_view kKubeletBinary = "/usr/local/bin/kubelet";

}  // namespace capstan::agent
