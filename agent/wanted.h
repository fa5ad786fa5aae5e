// What a NodeConfig wants of this machine, in files and units, with everything filled in that it may leave
// out. A configuration with one fault in it is refused as a whole. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "agent/disk.h"
#include "base/result.h"

namespace capstan::agent {

struct WantedFile {
  std::string path = {};
  std::string content = {};
  std::string checksum = {};
  Mark mark = {};
  std::set<std::string> units = {};  // restarted when it changes
  bool kept = false;                 // stays when it is no longer wanted: a Node needs its kubelet's files
};

struct WantedUnit {
  std::string name = {};
  bool enabled = true;
};

struct WantedProgram {
  std::string version = {};  // of the entry; the program's own may be a later patch
  std::string path = {};
  std::string url = {};
  std::string checksum = {};
};

struct KubeletPlaces {
  std::string unit = {};
  std::string kubeconfig = {};
  std::string bootstrap_kubeconfig = {};
};
// Of a machine that has no configuration yet.
KubeletPlaces usual_places();

struct Wanted {
  std::string checksum = {};  // of the configuration's text
  std::vector<WantedFile> files = {};
  std::vector<WantedUnit> units = {};
  std::optional<WantedProgram> kubelet = {};
  KubeletPlaces places = {};
  std::int64_t max_delay_seconds = 0;

  bool runs(std::string_view unit) const;  // it is enabled, or the kubelet's and not disabled
};

// What this machine is, as far as a configuration depends on it.
struct MachineFacts {
  std::string version = {};          // the Machine's spec.version
  std::string running_version = {};  // of its kubelet; empty: not known
  std::string users = {};            // /etc/passwd
  std::string groups = {};           // /etc/group
  Mark own = {};                     // the user and group that the agent runs as
};

Result<Wanted> read_wanted(std::string_view text, const MachineFacts& machine);

// A file of this path takes effect with the next daemon-reload of systemd, and not before.
bool is_of_systemd(std::string_view path);
// "a.service" of /etc/systemd/system/a.service; nothing for other files.
std::optional<std::string> unit_of(std::string_view path);
// "kubelet" as users write it: with its type. Nothing when it can be no unit's name.
std::optional<std::string> unit_name(std::string_view word);

}  // namespace capstan::agent
