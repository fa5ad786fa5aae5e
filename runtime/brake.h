// May this destructive intent happen now? The controllers ask, the safety controllers answer.
// The verdict goes into an Observation, so that decisions stay pure. Safe from any thread.
#pragma once

#include <string>

#include "kube/resource.h"

namespace capstan::runtime {

enum class Intent { CreateMachine, ScaleDown, Remediate, SweepOrphans };

struct Verdict {
  bool open = true;
  std::string why = {};  // for a condition: which brake, since when, what releases it
};

class Brake {
 public:
  virtual ~Brake() = default;
  virtual Verdict ask(Intent intent, const kube::ObjectKey& owner) const = 0;
};

// Without a policy nothing is held.
class OpenBrake final : public Brake {
 public:
  Verdict ask(Intent, const kube::ObjectKey&) const override { return {}; }
};

}  // namespace capstan::runtime
