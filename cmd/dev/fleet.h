// A fleet as people look at it: one row per Cluster, MachineDeployment, MachinePool and Machine. look_at()
// reads the caches, and all else is made of what it found; used by `up` and `demo` for their table, their
// lines and their JSON.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "controllers/shared/caches.h"

namespace capstan::dev {

struct ClusterRow {
  std::string name = {};  // "namespace/name"
  std::string phase = {};
  std::string endpoint = {};
  bool available = false;
  std::string why = {};
  bool operator==(const ClusterRow&) const = default;
};

struct GroupRow {
  std::string name = {};
  std::string kind = {};  // "MachineDeployment" or "MachinePool"
  std::string cluster = {};
  std::string version = {};
  std::int32_t desired = 0;
  std::int32_t replicas = 0;
  std::int32_t ready = 0;
  std::int32_t available = 0;
  std::int32_t up_to_date = 0;
  bool current = false;  // the status speaks about the present spec
  bool rolling = false;
  std::string why = {};
  bool settled() const {
    return current && !rolling && replicas == desired && available == desired && up_to_date == desired;
  }
  bool operator==(const GroupRow&) const = default;
};

struct MachineRow {
  std::string name = {};
  std::string cluster = {};
  std::string owner = {};
  std::string phase = {};
  std::string version = {};
  std::string node = {};
  std::string why = {};  // what it waits for; empty when nothing
  bool available = false;
  bool operator==(const MachineRow&) const = default;
};

struct Fleet {
  std::vector<ClusterRow> clusters = {};
  std::vector<GroupRow> groups = {};
  std::vector<MachineRow> machines = {};
  bool operator==(const Fleet&) const = default;

  // Every Cluster is provisioned and every group has what it wants, up to date and available, and no more.
  bool settled() const;
};

Fleet look_at(const controllers::Caches& caches);

// For a terminal: at most `machines` rows of Machines, those that wait first.
std::string table(const Fleet& fleet, std::size_t machines);
// One line per thing that is not as wished, and what it waits for.
std::vector<std::string> waits(const Fleet& fleet);
// One line per thing that changed, for logs and pipes.
std::vector<std::string> news(const Fleet& before, const Fleet& after);
boost::json::value to_json(const Fleet& fleet);

}  // namespace capstan::dev
