#include "apiserver/defects.h"

#include <algorithm>
#include <array>
#include <utility>

namespace capstan::apiserver {
namespace {

constexpr auto kNames = std::to_array<std::pair<Defect, std::string_view>>({
    {Defect::NoopWriteBumpsVersion, "noop-write-bumps-version"},
    {Defect::MetadataBumpsGeneration, "metadata-bumps-generation"},
    {Defect::StatusWriteChangesSpec, "status-write-changes-spec"},
    {Defect::SpecWriteChangesStatus, "spec-write-changes-status"},
    {Defect::FinalizerIgnored, "finalizer-ignored"},
    {Defect::ApplyDropsOthersFields, "apply-drops-others-fields"},
    {Defect::ApplyIgnoresConflicts, "apply-ignores-conflicts"},
    {Defect::ApplyKeepsDroppedFields, "apply-keeps-dropped-fields"},
    {Defect::ListMapReplaced, "list-map-replaced"},
    {Defect::StaleUpdateAccepted, "stale-update-accepted"},
    {Defect::WatchOutOfOrder, "watch-out-of-order"},
    {Defect::WatchSelectorForgetsDeleted, "watch-selector-forgets-deleted"},
    {Defect::BookmarkMissing, "bookmark-missing"},
    {Defect::GoneNeverSent, "gone-never-sent"},
    {Defect::ContinueIgnored, "continue-ignored"},
    {Defect::ListPageNotSnapshot, "list-page-not-snapshot"},
    {Defect::DeletePreconditionIgnored, "delete-precondition-ignored"},
    {Defect::DryRunPersists, "dry-run-persists"},
    {Defect::OrphanDeleted, "orphan-deleted"},
    {Defect::DisruptionBudgetIgnored, "disruption-budget-ignored"},
    {Defect::DefaultsMissing, "defaults-missing"},
    {Defect::UnknownFieldsKept, "unknown-fields-kept"},
});

}  // namespace

std::string_view to_string(Defect defect) {
  const auto found = std::ranges::find(kNames, defect, [](const auto& row) { return row.first; });
  return found == kNames.end() ? std::string_view() : found->second;
}

std::optional<Defect> parse_defect(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, [](const auto& row) { return row.second; });
  if (found == kNames.end()) return {};
  return found->first;
}

std::vector<Defect> all_defects() {
  std::vector<Defect> all;
  for (const auto& [defect, name] : kNames) all.push_back(defect);
  return all;
}

}  // namespace capstan::apiserver
