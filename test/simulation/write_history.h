// What the processes of a simulation wrote to each object in the last minute without any effect but on its
// metadata: two that do not agree about a label write it for ever. A write counts unless it leaves a spec or
// status that the object did not have within that minute; times in conditions do not. Called by whoever holds
// the baton.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "base/instant.h"

namespace capstan::simulation {

class WriteHistory {
 public:
  // How many count of the last minute, with this one; `written`: the object as the write left it.
  std::size_t note(const std::string& object, const boost::json::value& written, SteadyTime now);

 private:
  struct Object {
    std::string version = {};                         // of the last write
    std::map<std::uint64_t, SteadyTime> states = {};  // of spec and status, with the last time of each
    std::deque<SteadyTime> writes = {};               // that count
  };
  std::map<std::string, Object> objects_;
};

}  // namespace capstan::simulation
