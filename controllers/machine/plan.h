// What a turn of a Machine is going to do, apart from its deletion (Step of deletion.h), and what users
// should hear. Made by decide.h, carried out by act.h, turned into conditions by report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controllers/lifecycle/node_template.h"
#include "controllers/machine/providers.h"
#include "controllers/shared/node_change.h"
#include "controllers/shared/note.h"

namespace capstan::controllers::machine {

// Of a Machine that is being deleted, before it takes objects over, which it deletes then: a live read finds
// that it is still the Machine of that uid. Otherwise nothing after this is done.
struct ConfirmMachine {
  bool operator==(const ConfirmMachine&) const = default;
};
// Metadata and spec, in one patch. Without it nothing after this is done.
struct PatchMachine {
  Snapshot<api::Machine> from = {};
  api::Machine to = {};
  bool may_be_refused = false;  // a definite refusal stops nothing: no rule holds up a deletion
  bool operator==(const PatchMachine&) const = default;
};
// The provider's object becomes the Machine's own.
struct ClaimObject {
  enum class Which { Bootstrap, Infrastructure };
  Which which = Which::Bootstrap;
  ProviderClaim claim = {};
  bool operator==(const ClaimObject&) const = default;
};
struct ChangeNode {
  Snapshot<api::Node> node = {};  // as it was seen
  NodeChange change = {};
  bool operator==(const ChangeNode&) const = default;
};

using Action = std::variant<ConfirmMachine, PatchMachine, ClaimObject, ChangeNode>;

struct Plan {
  // Nothing can be said yet: a cache is still being filled. Write nothing, look again so soon.
  std::optional<Nanoseconds> too_early = {};

  std::vector<Action> actions = {};  // in this order
  api::Machine wanted = {};          // the Machine after this turn, conditions apart
  BootstrapFinding bootstrap = {};
  InfraFinding infra = {};
  std::optional<lifecycle::NodeTemplateMerge> node_template = {};  // nothing: no look at the Node was taken

  std::vector<Note> notes = {};
  std::vector<std::string> troubles = {};  // what can't go on; keeps observedGeneration back
  std::optional<Seconds> recheck = {};
  bool operator==(const Plan&) const = default;
};

// A line per action, for logs and tests.
std::vector<std::string> describe(const Plan& plan);

}  // namespace capstan::controllers::machine
