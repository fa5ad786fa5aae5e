// What the NodeConfigs of the simulation say: two files with a unit each, a unit that never changes, and the
// kubelet's program. Plain values.
#pragma once

#include <array>
#include <map>
#include <string>
#include <string_view>

#include "api/bootstrap/node_config.h"

namespace capstan::joining {

inline constexpr std::string_view kKubelet = "/usr/local/bin/kubelet";

// A file that is looked at on every machine, and the unit that is restarted when it changes.
struct WatchedFile {
  std::string_view path = {};
  std::string_view unit = {};
};
inline constexpr std::array kWatchedFiles = {
    WatchedFile{"/etc/app-a.conf", "a.service"}, WatchedFile{"/etc/app-b.conf", "b.service"},
    WatchedFile{"/etc/systemd/system/b.service", "b.service"},
    WatchedFile{"/etc/systemd/system/quiet.service", "quiet.service"},
    WatchedFile{kKubelet, "kubelet.service"}};

// Numbers of contents.
struct Draft {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::uint64_t unit = 0;
  std::uint64_t program = 0;
};
api::NodeConfigSpec spec_of(const Draft& draft);
// What the files then hold.
std::map<std::string, std::string> files_of(const Draft& draft);
// What stands at the address of a kubelet's program.
std::string program_at(std::string_view url);

}  // namespace capstan::joining
