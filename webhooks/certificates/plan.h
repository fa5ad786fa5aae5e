// What a turn about the webhook certificates does: one step of the Secret, and the bundles that it puts
// right. Made by decide.h, carried out by act.h. A plain value without any key.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/instant.h"

namespace capstan::webhooks::certificates {

// In the order of a rotation.
enum class Step {
  Nothing,
  PrepareNext,      // a new authority and a certificate of it, not served yet
  MarkDistributed,  // every bundle holds the new authority
  Redistribute,     // a bundle lost it again
  ServeNext,
  DropRetired,     // the former authority
  ReissueServing,  // a new certificate of the same authority
};
std::string_view to_string(Step step);

struct Plan {
  Step step = Step::Nothing;
  std::string why = {};                    // of the step
  std::vector<std::string> retired = {};   // what the Secret holds as such after PrepareNext or ServeNext
  std::vector<std::string> trusted = {};   // what every bundle has to hold
  std::vector<std::size_t> outdated = {};  // the targets that hold something else
  std::optional<Nanoseconds> again = {};   // when time alone makes the next step due
  bool operator==(const Plan&) const = default;
};

}  // namespace capstan::webhooks::certificates
