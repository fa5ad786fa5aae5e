#include "controllers/crdmigration/decide.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/json.hpp>

#include "base/backoff.h"

namespace capstan::controllers::crdmigration {
namespace {

namespace json = boost::json;

// Of passes in which objects were refused.
constexpr Backoff kRepeated = {.initial = std::chrono::seconds(1), .cap = std::chrono::minutes(5)};

bool migrates(const Observation& seen) {
  return seen.settings.phases.storage_versions && !seen.definition.has_one_stored_version();
}

bool is_left_over(const Observation& seen, const ManagerEntry& entry) {
  return !entry.api_version.empty() && !seen.definition.serves(entry.api_version);
}

// A server-side apply to an object without any manager would make all that there is the property of one more:
// an entry that names the object's name alone keeps it from that, and goes with the next apply.
std::string placeholder(const Observation& seen, const ManagerEntry& gone) {
  return json::serialize(json::value{{"manager", gone.manager},
                                     {"operation", gone.operation},
                                     {"apiVersion", seen.definition.stored.api_version()},
                                     {"fieldsType", "FieldsV1"},
                                     {"fieldsV1", {{"f:metadata", {{"f:name", json::object()}}}}}});
}

// The entries that stay; nothing when all do.
std::optional<std::vector<std::string>> remaining(const Observation& seen, const ObjectSeen& object) {
  if (!seen.settings.phases.managed_fields) return {};
  const auto gone =
      std::ranges::find_if(object.managers, [&](const auto& entry) { return is_left_over(seen, entry); });
  if (gone == object.managers.end()) return {};
  std::vector<std::string> left;
  for (const ManagerEntry& entry : object.managers)
    if (!is_left_over(seen, entry)) left.push_back(entry.text);
  if (left.empty()) left.push_back(placeholder(seen, *gone));
  return left;
}

std::vector<Rewrite> rewrites(const Observation& seen) {
  std::vector<Rewrite> all;
  for (const ObjectSeen& object : seen.page) {
    auto managers = remaining(seen, object);
    if (!managers && !migrates(seen)) continue;
    all.push_back(
        {.key = object.key, .resource_version = object.resource_version, .managers = std::move(managers)});
  }
  return all;
}

// While several versions may be stored, and API servers may still write the former one.
std::optional<Nanoseconds> unsettled(const Observation& seen) {
  if (!migrates(seen) || seen.age >= seen.settings.settle) return {};
  return seen.settings.settle - seen.age;
}

bool needs_pass(const Observation& seen) {
  if (seen.pass.ended) return false;
  if (migrates(seen)) return true;
  return seen.settings.phases.managed_fields && seen.passed != seen.definition.served;
}

std::string why(const Observation& seen) {
  const Pass& pass = seen.pass;
  std::string text =
      fmt::format("{} objects of {} can't be stored in {}: {}", pass.failed, seen.definition.name,
                  seen.definition.stored.version, fmt::join(pass.failures, "; "));
  if (pass.failed > pass.failures.size())
    text += fmt::format("; and {} more", pass.failed - pass.failures.size());
  return text;
}

Plan give_up(const Observation& seen) {
  return {.step = Step::GiveUp, .why = why(seen), .again = kRepeated.delay(seen.given_up)};
}

// What a skipped phase leaves undone is done once it is not skipped any more.
Plan note(const Observation& seen) {
  if (!seen.settings.phases.all()) return {};
  return {.step = Step::Note, .generation = seen.definition.generation};
}

}  // namespace

bool wants_page(const Observation& seen) {
  return !seen.definition.is_noted() && needs_pass(seen) && !unsettled(seen);
}

Plan decide(const Observation& seen) {
  if (seen.definition.is_noted()) return {};
  if (wants_page(seen)) return {.step = Step::RewritePage, .rewrites = rewrites(seen)};
  if (needs_pass(seen)) return {.step = Step::Wait, .again = unsettled(seen)};
  if (seen.pass.failed > 0) return give_up(seen);
  if (migrates(seen))
    return {
        .step = Step::PruneVersions,
        .stored_versions = {.from = seen.definition.stored_versions, .to = seen.definition.stored.version}};
  return note(seen);
}

}  // namespace capstan::controllers::crdmigration
