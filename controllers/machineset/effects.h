// What became of a plan. Made by act.h, read by report.h. A plain value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/meta/object_meta.h"
#include "base/result.h"

namespace capstan::controllers::machineset {

struct Effects {
  std::vector<std::string> created = {};
  std::int32_t in_doubt = 0;              // asked for, and not known to be made or not
  std::vector<std::string> deleted = {};  // or perhaps: the answer to their deletion was lost
  bool gone = false;                      // the finalizer is off: there is no status to write
  bool unfinished = false;                // the time for creating was over; the next turn goes on
  std::vector<Error> errors = {};
  std::vector<std::string> in_the_way = {};  // refusals that keep Machines from being replaced
  std::vector<std::pair<api::Uid, api::ResourceVersion>> settled = {};  // Machines that are as wanted

  // The first failure of a creation, for the older condition MachinesCreated.
  struct Refusal {
    std::string_view reason = {};
    std::string message = {};
  };
  std::optional<Refusal> creation = {};
};

}  // namespace capstan::controllers::machineset
