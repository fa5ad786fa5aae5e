// What the processes of a simulation wrote to each object in the last minute without any effect but on its
// metadata: two that do not agree about a label write it for ever. A write that changes spec or status does
// not count; times in conditions are no change. Called by the thread that holds the baton.
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
    std::string version = {};            // of the last write
    std::uint64_t state = 0;             // of spec and status, as the last write left them
    std::deque<SteadyTime> writes = {};  // that count
  };
  std::map<std::string, Object> objects_;
};

}  // namespace capstan::simulation
