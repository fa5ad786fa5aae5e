#include "webhooks/certificates/act.h"

#include <boost/json.hpp>

#include "base/try.h"
#include "kube/resources.h"
#include "webhooks/certificates/client_configs.h"
#include "webhooks/certificates/pem.h"
#include "webhooks/certificates/stored.h"

namespace capstan::webhooks::certificates {
namespace {

namespace json = boost::json;

Result<void> patch_secret(const ActContext& context, const json::value& body) {
  const auto patched =
      context.client.patch(kube::resources::secrets(), context.secret, body, {}, context.deadline);
  if (!patched) return fail(patched.error().context("patch Secret " + context.secret.describe()));
  return {};
}

Result<void> create_secret(const ActContext& context, const json::value& secret) {
  const auto made =
      context.client.create(kube::resources::secrets(), context.secret, secret, {}, context.deadline);
  if (made) return {};
  Error error = made.error().context("create Secret " + context.secret.describe());
  if (error.code == Code::AlreadyExists) error.code = Code::Conflict;  // another replica was faster
  return fail(std::move(error));
}

Result<void> prepare_next(const ActContext& context, const Observation& seen, const Plan& plan) {
  const Pair next = TRY(new_pair(context.names, seen.times, seen.now));
  if (!seen.stored) return create_secret(context, secret_with(context.secret, next, plan));
  return patch_secret(context, next_patch(*seen.stored, next, plan));
}

Result<void> reissue(const ActContext& context, const Observation& seen) {
  const auto serving = TRY(new_serving(*seen.stored->served, context.names, seen.times, seen.now));
  return patch_secret(context, serving_patch(*seen.stored, serving));
}

Result<void> take_step(const ActContext& context, const Observation& seen, const Plan& plan) {
  switch (plan.step) {
    case Step::Nothing: return {};
    case Step::PrepareNext: return prepare_next(context, seen, plan);
    case Step::MarkDistributed:
      return patch_secret(context, phase_patch(*seen.stored, phase_text(Phase::Distributed, seen.now)));
    case Step::Redistribute: return patch_secret(context, phase_patch(*seen.stored, {}));
    case Step::ServeNext:
      return patch_secret(context, serve_next_patch(*seen.stored, plan, phase_text(Phase::Served, seen.now)));
    case Step::DropRetired: return patch_secret(context, drop_retired_patch(*seen.stored));
    case Step::ReissueServing: return reissue(context, seen);
  }
  return {};
}

Result<void> write_bundles(const ActContext& context, const Target& target, const std::string& pem) {
  const auto patched = context.client.patch(target.resource, target.key, bundle_patch(target, pem),
                                            {.type = kube::PatchType::Json}, context.deadline);
  if (patched || patched.error().code == Code::NotFound) return {};
  return fail(patched.error().context("patch " + target.describe()));
}

}  // namespace

Result<void> act(const ActContext& context, const Observation& seen, const Plan& plan) {
  TRY(take_step(context, seen, plan));
  const std::string pem = one_text(plan.trusted);
  for (const std::size_t at : plan.outdated) TRY(write_bundles(context, seen.targets[at], pem));
  return {};
}

}  // namespace capstan::webhooks::certificates
