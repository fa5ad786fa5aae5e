#include "controllers/rollout/revision.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "api/names.h"

namespace capstan::controllers::rollout {
namespace {

constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max() - 1;  // there must be a next one

}  // namespace

std::optional<std::int64_t> parse_revision(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > kHighest) return std::nullopt;
  return number;
}

std::optional<std::int64_t> revision_of(const api::MachineSet& set) {
  return parse_revision(set.metadata.annotations.value_or_empty(api::annotation::kRevision));
}

Result<Revision> revision_of_newest(const api::MachineSet* newest, std::span<const SetSnapshot> old) {
  std::int64_t highest = 0;
  for (const SetSnapshot& set : old) {
    highest = std::max(highest, revision_of(*set).value_or(0));
  }
  const std::int64_t next = highest + 1;
  if (newest == nullptr) return Revision{.number = std::to_string(next)};
  const auto& annotations = newest->metadata.annotations;
  Revision revision{.history = std::string(annotations.value_or_empty(api::annotation::kRevisionHistory))};
  const Text* present = annotations.find(api::annotation::kRevision);
  if (present == nullptr) {
    revision.number = std::to_string(next);
    return revision;
  }
  const auto own = parse_revision(present->view());
  if (!own) {
    return fail(Code::Invalid,
                fmt::format("MachineSet {}: annotation {} is {:?}, which is no number; remove it",
                            newest->metadata.name.view(), api::annotation::kRevision, present->view()));
  }
  revision.number = std::to_string(std::max(*own, next));
  if (*own >= next) return revision;
  if (!revision.history.empty()) revision.history += ",";
  revision.history += std::to_string(*own);
  return revision;
}

}  // namespace capstan::controllers::rollout
