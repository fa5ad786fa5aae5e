#include "controllers/crdmigration/act.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/names.h"
#include "base/try.h"
#include "kube/resources.h"

namespace capstan::controllers::crdmigration {
namespace {

namespace json = boost::json;

// A refusal that the next object would meet, too.
bool concerns_all(const Error& error) {
  return is_transient(error.code) || error.code == Code::Forbidden || error.code == Code::Unauthorized ||
         error.code == Code::Cancelled || error.code == Code::NotConnected;
}

json::value body_of(const Rewrite& rewrite) {
  json::object metadata{{"resourceVersion", rewrite.resource_version}};
  if (rewrite.managers) {
    json::array entries;
    for (const std::string& entry : *rewrite.managers) entries.push_back(json::parse(entry));
    metadata["managedFields"] = std::move(entries);
  }
  return {{"metadata", std::move(metadata)}};
}

// By way of the status no webhook is asked, and nothing but the version in which it is stored changes. It
// takes no managers, though: there the API server goes by those that it has.
Result<json::value> write(const ObserveContext& with, const Definition& definition, const Rewrite& rewrite) {
  const bool by_status = definition.has_status && !rewrite.managers;
  return with.deps.client.patch(
      definition.stored, rewrite.key, body_of(rewrite),
      {.subresource = by_status ? "status" : "", .field_manager = std::string(api::field_manager::kManager)},
      with.context.deadline);
}

// What was deleted is stored no more, and what another writer has changed is stored in today's version.
Result<void> rewrite_one(const ObserveContext& with, const Definition& definition, const Rewrite& rewrite,
                         Effects& effects) {
  const auto written = write(with, definition, rewrite);
  if (written) {
    ++effects.written;
    return {};
  }
  const Error& error = written.error();
  if (error.code == Code::NotFound) return {};
  if (error.code == Code::Conflict) {
    if (rewrite.managers) ++effects.changed_meanwhile;
    return {};
  }
  const Error told = error.context(fmt::format("{} {}", definition.stored.kind, rewrite.key.describe()));
  if (concerns_all(error)) return fail(told);
  if (effects.failed++ == 0) effects.first_failure = told.describe();
  return {};
}

Result<Effects> rewrite_page(const ObserveContext& with, const Observation& seen, const Plan& plan) {
  Effects effects;
  for (const Rewrite& rewrite : plan.rewrites) TRY(rewrite_one(with, seen.definition, rewrite, effects));
  return effects;
}

Result<void> patch_definition(const ObserveContext& with, const Definition& definition,
                              const json::value& body, const kube::PatchOptions& options) {
  const auto patched =
      with.deps.client.patch(kube::resources::custom_resource_definitions(), {.name = definition.name}, body,
                             options, with.context.deadline);
  if (patched || patched.error().code == Code::NotFound) return {};
  return fail(patched.error().context("patch CustomResourceDefinition " + definition.name));
}

Result<void> prune(const ObserveContext& with, const Observation& seen, const Plan& plan) {
  return patch_definition(with, seen.definition,
                          {{"metadata", {{"resourceVersion", seen.definition.resource_version}}},
                           {"status", {{"storedVersions", json::array{plan.stored_versions.to}}}}},
                          {.subresource = "status"});
}

Result<void> note(const ObserveContext& with, const Observation& seen, const Plan& plan) {
  return patch_definition(
      with, seen.definition,
      {{"metadata",
        {{"annotations",
          {{api::annotation::kCrdMigrationObservedGeneration, std::to_string(plan.generation)}}}}}},
      {});
}

}  // namespace

Result<Effects> act(const ObserveContext& with, const Observation& seen, const Plan& plan) {
  switch (plan.step) {
    case Step::Nothing:
    case Step::Wait:
    case Step::GiveUp: break;
    case Step::RewritePage: return rewrite_page(with, seen, plan);
    case Step::PruneVersions: TRY(prune(with, seen, plan)); break;
    case Step::Note: TRY(note(with, seen, plan)); break;
  }
  return Effects{};
}

}  // namespace capstan::controllers::crdmigration
