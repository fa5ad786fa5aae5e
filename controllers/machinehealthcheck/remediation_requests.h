// External remediation: an object of a provider's kind, named after the Machine and made from the template
// that a MachineHealthCheck names, asks that provider to repair it. Used by act.cc, one per turn. Blocks as
// the client does.
#pragma once

#include <optional>
#include <string>

#include "controllers/machinehealthcheck/effects.h"
#include "controllers/machinehealthcheck/marks.h"
#include "controllers/shared/turn.h"
#include "kube/typed.h"

namespace capstan::controllers::machinehealthcheck {

class RemediationRequests {
 public:
  // Both live longer. Only of a check with spec.remediation.templateRef anything is asked.
  RemediationRequests(const ActContext& with, const api::MachineHealthCheck& check)
      : with_(with), check_(check), check_key_(kube::key_of(check)) {}

  // Makes sure that there is one; what the Machine shows of it, nothing when that stays as it is.
  std::optional<External> ask_for(const api::Machine& machine, Effects& effects);
  // Of a Machine that is well by now. False: it could not be taken back.
  bool withdraw(const api::Machine& machine, Effects& effects);

  std::string message_of(External how) const;

 private:
  struct Found {
    bool exists = false;
    api::ObjectMeta metadata = {};
    const runtime::Observed* cache = nullptr;  // null: its kind can't be watched by contract
  };

  kube::ObjectKey key_of(const api::Machine& machine) const;
  Result<Found> find(const api::Machine& machine);
  Result<void> create(const api::Machine& machine, const boost::json::value& source, const Found& found);
  Result<void> remove(const api::Machine& machine, const Found& found);
  std::optional<External> shown_of_present(const api::Machine& machine, const Found& found,
                                           Effects& effects) const;

  const ActContext& with_;
  const api::MachineHealthCheck& check_;
  const kube::ObjectKey check_key_;
};

}  // namespace capstan::controllers::machinehealthcheck
