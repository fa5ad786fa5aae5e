#include "api/meta/finalizers.h"

#include <algorithm>
#include <utility>

namespace capstan::api {

Finalizers with_finalizer(const Finalizers& present, std::string_view finalizer) {
  if (std::ranges::any_of(*present, [&](const Text& each) { return each == finalizer; })) return present;
  auto finalizers = *present;
  finalizers.emplace_back(finalizer);
  return Finalizers(std::move(finalizers));
}

}  // namespace capstan::api
