#include "apiserver/controllers/controllers.h"

#include <utility>

#include "apiserver/controllers/disruption.h"
#include "apiserver/controllers/lifecycle.h"
#include "apiserver/document/document.h"

namespace capstan::apiserver {
namespace {

constexpr std::size_t kChunk = 1024;

}  // namespace

bool Controllers::run(Core& core) {
  if (core.storage.version() == seen_version_) return false;
  seen_version_ = core.storage.version();
  if (!read_changes(core)) read_everything(core);
  bool wrote = garbage_.collect(core);
  wrote = end_definitions(core) || wrote;
  wrote = end_namespaces(core) || wrote;
  if (std::exchange(budgets_touched_, false)) wrote = update_budgets(core) || wrote;
  return wrote;
}

// False when the history does not reach back far enough.
bool Controllers::read_changes(Core& core) {
  if (epoch_ != core.storage.epoch()) return false;
  for (const auto& collection : core.storage.collections()) {
    if (!read_collection(core, collection)) return false;
  }
  return true;
}

bool Controllers::read_collection(const Core& core, const std::string& collection) {
  auto& position = read_up_to_[collection];
  for (;;) {
    const auto page = core.storage.changes_after(collection, position, epoch_, kChunk);
    if (page.gone) return false;
    for (const auto& change : page.changes) garbage_.feed(collection, change);
    if (!page.changes.empty() && (collection == "pods" || collection == kBudgetCollection))
      budgets_touched_ = true;
    position = page.version;
    if (page.changes.size() < kChunk) return true;
  }
}

void Controllers::read_everything(const Core& core) {
  garbage_.forget();
  read_up_to_.clear();
  epoch_ = core.storage.epoch();
  budgets_touched_ = true;
  for (const auto& collection : core.storage.collections()) {
    const auto page = core.storage.list(collection, {});
    for (const auto& [key, object] : page->items) {
      garbage_.feed(collection,
                    {.version = version_of(*object), .type = EventType::Added, .key = key, .object = object});
    }
    read_up_to_[collection] = page->version;
  }
}

}  // namespace capstan::apiserver
