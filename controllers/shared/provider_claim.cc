#include "controllers/shared/provider_claim.h"

#include "controllers/shared/plan_words.h"

namespace capstan::controllers {

std::string describe(const ProviderClaim& claim) {
  std::string words = owner_changes(claim.from, claim.owners);
  if (claim.label) words.append(words.empty() ? "" : ", ").append("label of its Cluster");
  return words;
}

}  // namespace capstan::controllers
