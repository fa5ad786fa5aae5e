#include "controllers/shared/turn_steps.h"

#include <algorithm>

namespace capstan::controllers {
namespace {

constexpr Nanoseconds kAfterConflict = std::chrono::milliseconds(200);

}  // namespace

Result<void> none_failed(const std::vector<Error>& errors) {
  if (!errors.empty()) return fail(errors.front());
  return {};
}

Result<runtime::Outcome> ended(const std::vector<Error>& errors, const runtime::Outcome& otherwise) {
  const auto real =
      std::ranges::find_if(errors, [](const Error& error) { return error.code != Code::Conflict; });
  if (real != errors.end()) return fail(*real);
  if (!errors.empty()) return runtime::Outcome::after(kAfterConflict).or_sooner(otherwise);
  return otherwise;
}

}  // namespace capstan::controllers
