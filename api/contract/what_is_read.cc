#include "api/contract/what_is_read.h"

#include <algorithm>
#include <array>

#include "api/names.h"
#include "api/schema/json_skimmer.h"

namespace capstan::api::contract {
namespace {

// Of infrastructure and bootstrap objects Ready; the others of control planes.
constexpr std::array kRead = {condition::kReady, condition::kAvailable, condition::kRollingOut,
                              condition::kScalingUp, condition::kScalingDown};

bool is_read(std::string_view condition) {
  JsonSkimmer text(condition);
  if (!enter(text, R"("type")")) return true;
  const auto type = text.take_string();
  return !type || is_condition_read(type->substr(1, type->size() - 2));
}

}  // namespace

bool is_condition_read(std::string_view type) { return std::ranges::find(kRead, type) != kRead.end(); }

std::string conditions_that_are_read(std::string_view compact) {
  JsonSkimmer list(compact);
  if (!list.take('[') || list.take(']')) return std::string(compact);
  std::string kept = "[";
  do {
    const std::size_t begin = list.at();
    if (!list.skip_value()) return std::string(compact);
    const std::string_view element = compact.substr(begin, list.at() - begin);
    if (!is_read(element)) continue;
    if (kept.size() > 1) kept += ',';
    kept += element;
  } while (list.take(','));
  return kept += ']';
}

void keep_what_is_read(ContractObject& object) {
  object.metadata.annotations.erase(annotation::kLastAppliedConfiguration);
}

namespace {

void replace_if_shorter(RawJson& raw, const std::string& kept) {
  if (kept.size() < raw.text().size()) raw = RawJson::from_compact(kept);
}

}  // namespace

void keep_what_is_read(ContractStatus& status) {
  replace_if_shorter(status.conditions, conditions_that_are_read(status.conditions.text()));

  // A provider that reports both generations at once has the newer one there.
  const std::string_view newer = status.v1beta2.text();
  JsonSkimmer text(newer);
  if (!enter(text, R"("conditions")")) return;
  const std::size_t begin = text.at();
  if (!text.skip_value()) return;
  const std::string kept = conditions_that_are_read(newer.substr(begin, text.at() - begin));
  replace_if_shorter(status.v1beta2,
                     std::string(newer.substr(0, begin)) + kept + std::string(newer.substr(text.at())));
}

}  // namespace capstan::api::contract
