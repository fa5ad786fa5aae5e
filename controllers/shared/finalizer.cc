#include "controllers/shared/finalizer.h"

#include <algorithm>

namespace capstan::controllers {

api::Finalizers with_finalizer(const api::Finalizers& present, std::string_view finalizer) {
  if (std::ranges::any_of(*present, [&](const Text& each) { return each == finalizer; })) return present;
  auto finalizers = *present;
  finalizers.emplace_back(finalizer);
  return api::Finalizers(std::move(finalizers));
}

}  // namespace capstan::controllers
