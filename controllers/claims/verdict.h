// Whose an instance is, as controllers/claims/claims.h has found out. A plain value.
#pragma once

#include <string>

namespace capstan::controllers::claims {

struct Verdict {
  enum class Whose {
    Ours,
    Anothers,
    Contested,  // several claim it with equal right
    Unknown,    // an infrastructure object that decides can't be read at the moment
  };
  Whose whose = Whose::Ours;
  std::string why = {};      // else: who claims it and what would help, for conditions and Events
  bool listed_soon = false;  // of Unknown: what decides is being listed

  bool ours() const { return whose == Whose::Ours; }
};

}  // namespace capstan::controllers::claims
