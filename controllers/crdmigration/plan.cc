#include "controllers/crdmigration/plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace capstan::controllers::crdmigration {
namespace {

std::string in_words(const Rewrite& rewrite) {
  const std::string object = "rewrite " + rewrite.key.describe();
  if (!rewrite.managers) return object;
  return fmt::format("{}, field managers: -> [{}]", object, fmt::join(*rewrite.managers, ", "));
}

std::string in_words(const StoredVersions& versions) {
  return fmt::format("write status.storedVersions: [{}] -> [{}]", fmt::join(versions.from, ", "),
                     versions.to);
}

}  // namespace

std::vector<std::string> describe(const Plan& plan) {
  std::vector<std::string> lines;
  switch (plan.step) {
    case Step::Nothing:
    case Step::Wait:
    case Step::GiveUp: break;  // nothing is written
    case Step::RewritePage:
      for (const Rewrite& rewrite : plan.rewrites) lines.push_back(in_words(rewrite));
      break;
    case Step::PruneVersions: lines.push_back(in_words(plan.stored_versions)); break;
    case Step::Note: lines.push_back(fmt::format("note generation {}", plan.generation)); break;
  }
  return lines;
}

}  // namespace capstan::controllers::crdmigration
