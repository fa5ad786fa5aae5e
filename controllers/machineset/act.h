// Carries out a plan of decide(): the writes of one turn. Each action is safe to repeat; one that fails does
// not keep the others from happening, except that no Machine is made after the refusal of an object that the
// next one needs as well. Blocks as the client does.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controllers/machineset/decide.h"
#include "controllers/shared/contests.h"

namespace capstan::controllers::machineset {

// What a turn did, for the report.
struct Effects {
  std::vector<std::string> created = {};
  std::int32_t in_doubt = 0;              // asked for, and nobody knows whether they were made
  std::vector<std::string> deleted = {};  // or asked to go, and nobody knows whether it was heard
  bool went = false;                      // the finalizer is off: nobody is left to report to
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

struct ActContext {
  const Deps& deps;
  const Host& host;
  const Settings& settings;
  Contests& contests;
  const runtime::Context& context;
};
Effects act(const ActContext& with, const Observation& seen, const Plan& plan);

}  // namespace capstan::controllers::machineset
