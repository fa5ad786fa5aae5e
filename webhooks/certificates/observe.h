// Gathers what a turn looks at. Live reads: the Secret each time; the nine objects with bundles when one of
// them has changed, while a rotation is under way, and once in ten minutes. The bundles are read before the
// Secret: an authority stands in a bundle only after it stood in the Secret, so a turn that sees the bundle
// never works from a Secret without it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/deadline.h"
#include "base/result.h"
#include "kube/client.h"
#include "webhooks/certificates/client_configs.h"
#include "webhooks/certificates/observation.h"

namespace capstan::webhooks::certificates {

struct ObserveContext {
  kube::Client& client;
  const Clock& clock;
  Deadline deadline = {};
  const kube::ObjectKey& secret;
  const Reached& reached;
  const Times& times;
};

// Between turns. Losing it costs requests and makes a settle time begin again.
struct Memory {
  std::optional<std::vector<Target>> targets = {};  // nothing: to be read again
  SteadyTime targets_read = {};
  bool rotating = true;  // the Secret was not at rest
  std::string phase_text = {};
  SteadyTime phase_since = {};
};

// What was read; of the two the Secret counts even when the bundles can't be read.
struct Observed {
  Result<void> targets_read = {};
  Observation seen = {};
};
Result<Observed> observe(const ObserveContext& context, Memory& memory);

}  // namespace capstan::webhooks::certificates
