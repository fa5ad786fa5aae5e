#include "controllers/safety/ceiling.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/policy/names.h"
#include "base/safeguards.h"

namespace capstan::controllers::safety {

Count allowed_by(const Ceiling& ceiling, Count missing) {
  if (!ceiling.is_on || is_off(Safeguard::Ceiling)) return missing;
  return std::clamp<Count>(ceiling.most - ceiling.owned - ceiling.released, 0, missing);
}

std::string ceiling_in_words(const Ceiling& ceiling) {
  std::string text = fmt::format("{} Machines are or will be there, {} may be",
                                 ceiling.owned + ceiling.released, ceiling.most);
  if (ceiling.released == 0) return text;
  return text + fmt::format(
                    ": {} of them were released{}{}, and count until they are gone or have an owner again; "
                    "put their labels back, delete them, or take off the annotation {}",
                    ceiling.released, ceiling.blame.empty() ? "" : " because ", ceiling.blame,
                    api::policy::annotation::kReleased);
}

std::string mismatch(const api::LabelSelector& selector, const api::TextMap& labels) {
  for (const auto& [key, wanted] : selector.match_labels) {
    const Text* found = labels.find(key.view());
    if (found == nullptr) return fmt::format("label {} is missing", key.view());
    if (*found != wanted)
      return fmt::format("label {} is {:?} and not {:?}", key.view(), found->view(), wanted.view());
  }
  for (const auto& requirement : selector.match_expressions) {
    const auto alone = api::Selector::from(api::LabelSelector{.match_expressions = {requirement}});
    if (alone && !alone->matches(labels))
      return fmt::format("label {} does not match the selector", requirement.key.view());
  }
  return {};
}

}  // namespace capstan::controllers::safety
