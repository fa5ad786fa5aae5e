// May this destructive intent happen now? The controllers ask, the safety controllers answer.
// The verdict goes into an Observation, so that decisions stay pure. Safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "kube/resource.h"

namespace capstan::runtime {

enum class Intent {
  CreateMachine,
  Remediate,
  ScaleDown,
  RollOut,             // delete a Machine of an earlier template
  Evict,               // make a Pod leave its Node
  DeletePoolInstance,  // delete the Node of an instance that a pool has lost
  SweepOrphans,
};

// The object whose controller asks: of which kind, and which one.
struct Asker {
  std::string_view kind = {};
  const kube::ObjectKey& key;
};

struct Verdict {
  bool open = true;
  std::string why = {};  // for a condition: which brake, since when, what releases it
};

class Brake {
 public:
  virtual ~Brake() = default;
  virtual Verdict ask(Intent intent, const Asker& asker) const = 0;
};

// Without a policy nothing is held.
class OpenBrake final : public Brake {
 public:
  Verdict ask(Intent, const Asker&) const override { return {}; }
};

}  // namespace capstan::runtime
