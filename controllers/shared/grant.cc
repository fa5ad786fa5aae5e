#include "controllers/shared/grant.h"

#include "api/policy/names.h"
#include "controllers/lifecycle/judge.h"
#include "kube/typed.h"

namespace capstan::controllers {

Result<std::optional<api::ResourceVersion>> grant_replacement(kube::Client& client,
                                                              const api::Machine& machine,
                                                              const Deadline& deadline) {
  api::Machine after = machine;
  after.metadata.annotations.set(Text(api::policy::annotation::kReplacementGranted),
                                 Text(lifecycle::grant_for(machine)));
  const auto written =
      kube::patch_part(client, machine, after, kube::Part::Main, kube::Lock::Always, deadline);
  if (!written) {
    const bool gone = written.error().code == Code::NotFound;
    return gone ? Result<std::optional<api::ResourceVersion>>(std::nullopt) : fail(written.error());
  }
  return *written ? std::optional((*written)->metadata.resource_version) : std::nullopt;
}

}  // namespace capstan::controllers
