#include "controllers/shared/plan_words.h"

#include "api/schema/changes.h"

namespace capstan::controllers {

std::string owner_changes(const api::OwnerReferences& from, const api::OwnerReferences& to) {
  return api::changes(api::ObjectMeta{.owner_references = from}, api::ObjectMeta{.owner_references = to});
}

}  // namespace capstan::controllers
