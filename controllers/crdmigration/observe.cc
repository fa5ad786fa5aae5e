#include "controllers/crdmigration/observe.h"

#include <boost/json.hpp>

#include "base/try.h"
#include "controllers/crdmigration/decide.h"
#include "controllers/crdmigration/documents.h"
#include "kube/resources.h"

namespace capstan::controllers::crdmigration {
namespace {

constexpr std::int64_t kPage = 250;

void note_generation(const ObserveContext& with, Remembered& memory, const Definition& definition) {
  if (memory.pass.generation == definition.generation) return;
  memory.pass = {.generation = definition.generation};
  memory.given_up = 0;
  memory.seen_since = with.deps.clock.steady_now();
}

std::vector<ManagerEntry> managers_of(const json::value& object) {
  std::vector<ManagerEntry> managers;
  for (const json::value& entry : list_at(object, "/metadata/managedFields"))
    managers.push_back({.api_version = text_at(entry, "/apiVersion"),
                        .manager = text_at(entry, "/manager"),
                        .operation = text_at(entry, "/operation"),
                        .text = json::serialize(entry)});
  return managers;
}

ObjectSeen read_object(const json::value& object, bool with_managers) {
  return {.key = {.namespace_ = text_at(object, "/metadata/namespace"),
                  .name = text_at(object, "/metadata/name")},
          .resource_version = text_at(object, "/metadata/resourceVersion"),
          .managers = with_managers ? managers_of(object) : std::vector<ManagerEntry>()};
}

Result<void> read_page(const ObserveContext& with, Observation& seen) {
  const kube::Resource& resource = seen.definition.stored;
  const auto page = with.deps.client.list(
      resource, {.limit = kPage, .continue_token = seen.pass.continue_token}, with.context.deadline);
  if (!page) return fail(page.error().context("list " + resource.plural + "." + resource.group));
  for (const json::value& object : list_at(*page, "/items"))
    seen.page.push_back(read_object(object, seen.settings.phases.managed_fields));
  seen.continue_token = text_at(*page, "/metadata/continue");
  return {};
}

}  // namespace

Result<std::optional<Observation>> observe(const ObserveContext& with, Remembered& memory,
                                           const Settings& settings, const kube::ObjectKey& key) {
  const auto document =
      with.deps.client.get(kube::resources::custom_resource_definitions(), key, with.context.deadline);
  if (!document && document.error().code == Code::NotFound) return std::optional<Observation>();
  if (!document) return fail(document.error().context("get CustomResourceDefinition " + key.name));
  Observation seen{.definition = TRY(read_definition(*document)), .settings = settings};
  note_generation(with, memory, seen.definition);
  seen.age = with.deps.clock.steady_now() - memory.seen_since;
  seen.pass = memory.pass;
  seen.given_up = memory.given_up;
  seen.passed = memory.passed;
  if (wants_page(seen)) TRY(read_page(with, seen));
  return seen;
}

}  // namespace capstan::controllers::crdmigration
