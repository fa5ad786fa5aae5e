#include "cmd/program/missing_rights.h"

#include "kube/missing_right.h"

namespace capstan::program {

void MissingRights::operator()(const kube::RequestRecord& request) const {
  const auto rule = kube::missing_rule(request);
  if (!rule) return;
  const bool first = named_->with([&](auto& rules) { return rules.insert(*rule).second; });
  if (!first) return;
  log_.error("a right is missing; add this rule to the role of this program's account",
             {{"rule", *rule}, {"method", request.method}, {"path", request.path}});
}

}  // namespace capstan::program
