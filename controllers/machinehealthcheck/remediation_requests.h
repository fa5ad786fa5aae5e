// External remediation: an object of a provider's kind, named after the Machine and made from the template
// that a MachineHealthCheck names, asks somebody else to repair it. Blocks as the client does; one per turn.
#pragma once

#include <optional>
#include <string>

#include "controllers/machinehealthcheck/effects.h"
#include "controllers/machinehealthcheck/marks.h"
#include "controllers/shared/deps.h"
#include "runtime/reconcile.h"

namespace capstan::controllers::machinehealthcheck {

// Whether `object` is a request that a check made for `machine` from the template `template_name` of the kind
// `template_groupkind` ("Kind.group"). What the Machine stands on, and what a Machine controls, is none.
bool is_request_for(const api::Machine& machine, const kube::Resource& kind, const api::ObjectMeta& object,
                    std::string_view template_groupkind, std::string_view template_name);

class RemediationRequests {
 public:
  // All of it lives longer.
  RemediationRequests(const Deps& deps, const Host& host, const runtime::Context& context,
                      const api::MachineHealthCheck& check);

  // Sees to it that there is one; what to write onto the Machine, nothing when it stays as it is.
  std::optional<External> ask_for(const api::Machine& machine, Effects& effects);
  // Takes it back; `turned`: the Machine was sick until now. False: that has to be tried again.
  bool withdraw(const api::Machine& machine, bool turned, Effects& effects);

  const std::string& template_problem() const { return template_problem_; }

 private:
  struct Found {
    bool exists = false;
    api::ObjectMeta metadata = {};
    const runtime::Observed* cache = nullptr;  // null: its kind can't be watched by contract
  };

  kube::ObjectKey key_of(const api::Machine& machine) const;
  bool made_for(const api::Machine& machine, const Found& found) const;
  Result<Found> find(const api::Machine& machine, bool may_ask);
  Result<void> create(const api::Machine& machine, const boost::json::value& source, const Found& found);
  std::optional<External> judge_present(const api::Machine& machine, const Found& found,
                                        Effects& effects) const;

  const Deps& deps_;
  const Host& host_;
  const runtime::Context& context_;
  const api::MachineHealthCheck& check_;
  const kube::ObjectKey check_key_;
  const kube::Resource template_;
  const kube::Resource request_;
  const std::string template_problem_;
};

}  // namespace capstan::controllers::machinehealthcheck
