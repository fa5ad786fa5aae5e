// A container of a Deployment, run as a process where there is no kubelet: its command, arguments and
// environment as they stand in the manifest, its files where a kubelet would put them, as the user its
// securityContext names. Needs root, unshare, chroot and setpriv. One thread.
#pragma once

#include <boost/json/fwd.hpp>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "test/envtest/child_process.h"

namespace capstan::envtest {

// What the downward API would answer.
struct PodFacts {
  std::string name = {};
  std::string namespace_ = {};
  std::string uid = {};
};

struct ContainerCommand {
  std::vector<std::string> argv = {};         // command, then args
  std::vector<std::string> environment = {};  // "NAME=value"
  std::string user = {};                      // runAsUser
  std::string group = {};                     // runAsGroup
};

// Of the container of that name; an environment variable from anything but these facts is an error.
Result<ContainerCommand> command_of(const boost::json::value& deployment, std::string_view container,
                                    const PodFacts& facts);

// The file system it sees: `programs` bound into its root under their names, /usr of this machine for their
// libraries, and files.
struct PodFiles {
  std::filesystem::path root = {};  // a folder that is there and empty
  std::vector<std::filesystem::path> programs = {};
  std::vector<std::pair<std::string, std::string>> files = {};  // path inside, content
};

Result<ChildProcess> start_container(const ContainerCommand& command, const PodFiles& files,
                                     const std::filesystem::path& log);

}  // namespace capstan::envtest
