#include "controllers/crdmigration/act.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/names.h"
#include "base/try.h"
#include "controllers/crdmigration/rights.h"
#include "kube/resources.h"

namespace capstan::controllers::crdmigration {
namespace {

namespace json = boost::json;

// One page on its way back to the API server.
struct Page {
  const ActContext& with;
  const Definition& definition;
  Rights rights;
  Effects effects = {};
};

// By way of the status no webhook is asked, and nothing but the version in which it is stored changes. It
// takes no managers, though: there the API server goes by those that it has.
std::string subresource_of(const Definition& definition, const Rewrite& rewrite) {
  return definition.has_status && !rewrite.managers ? "status" : "";
}

// A refusal that the next object would meet, too.
bool concerns_all(Page& page, const Rewrite& rewrite, const Error& error) {
  if (error.code == Code::Forbidden) return page.rights.lacks_patch(subresource_of(page.definition, rewrite));
  return is_transient(error.code) || error.code == Code::Unauthorized || error.code == Code::Cancelled;
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

Result<json::value> write(const Page& page, const Rewrite& rewrite) {
  return page.with.deps.client.patch(page.definition.stored, rewrite.key, body_of(rewrite),
                                     {.subresource = subresource_of(page.definition, rewrite),
                                      .field_manager = std::string(api::field_manager::kManager)},
                                     page.with.context.deadline);
}

// What was deleted is stored no more, and what another writer has changed is stored in today's version.
Result<void> rewrite_one(Page& page, const Rewrite& rewrite) {
  const auto written = write(page, rewrite);
  if (written) {
    ++page.effects.written;
    return {};
  }
  const Error& error = written.error();
  if (error.code == Code::NotFound) return {};
  if (error.code == Code::Conflict) {
    if (rewrite.managers) ++page.effects.changed_meanwhile;
    return {};
  }
  const std::string object = fmt::format("{} {}", page.definition.stored.kind, rewrite.key.describe());
  if (concerns_all(page, rewrite, error)) return fail(error.context(object));
  page.effects.failures.push_back(object + ": " + error.describe());
  return {};
}

Result<Effects> rewrite_page(const ActContext& with, const Observation& seen, const Plan& plan) {
  Page page{.with = with,
            .definition = seen.definition,
            .rights = {with.deps.client, seen.definition.stored, with.context.deadline}};
  for (const Rewrite& rewrite : plan.rewrites) TRY(rewrite_one(page, rewrite));
  return page.effects;
}

Result<void> patch_definition(const ActContext& with, const Definition& definition, const json::value& body,
                              const kube::PatchOptions& options) {
  const auto patched =
      with.deps.client.patch(kube::resources::custom_resource_definitions(), {.name = definition.name}, body,
                             options, with.context.deadline);
  if (patched || patched.error().code == Code::NotFound) return {};
  return fail(patched.error().context("patch CustomResourceDefinition " + definition.name));
}

Result<void> prune(const ActContext& with, const Observation& seen, const Plan& plan) {
  return patch_definition(with, seen.definition,
                          {{"metadata", {{"resourceVersion", seen.definition.resource_version}}},
                           {"status", {{"storedVersions", json::array{plan.stored_versions.to}}}}},
                          {.subresource = "status"});
}

Result<void> note(const ActContext& with, const Observation& seen, const Plan& plan) {
  return patch_definition(
      with, seen.definition,
      {{"metadata",
        {{"annotations",
          {{api::annotation::kCrdMigrationObservedGeneration, std::to_string(plan.generation)}}}}}},
      {});
}

}  // namespace

Result<Effects> act(const ActContext& with, const Observation& seen, const Plan& plan) {
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
