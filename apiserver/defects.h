// Seeded defects: mistakes a plausible imitation of the API server makes, switched on one at a time by the
// conformance suite to prove that a script catches each. Compiled in only with CAPSTAN_DEFECTS; otherwise
// has() is constant false.
#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

namespace capstan::apiserver {

enum class Defect {
  NoopWriteBumpsVersion,
  MetadataBumpsGeneration,
  StatusWriteChangesSpec,
  SpecWriteChangesStatus,
  FinalizerIgnored,
  ApplyDropsOthersFields,
  ApplyIgnoresConflicts,
  ApplyKeepsDroppedFields,
  ListMapReplaced,
  StaleUpdateAccepted,
  WatchOutOfOrder,
  WatchSelectorForgetsDeleted,
  BookmarkMissing,
  GoneNeverSent,
  ContinueIgnored,
  ListPageNotSnapshot,
  DeletePreconditionIgnored,
  DryRunPersists,
  OrphanDeleted,
  DisruptionBudgetIgnored,
  DefaultsMissing,
  UnknownFieldsKept,
};

std::string_view to_string(Defect defect);  // "noop-write-bumps-version"
std::optional<Defect> parse_defect(std::string_view name);
std::vector<Defect> all_defects();

class DefectSet {
 public:
  void add(Defect defect) { defects_.insert(defect); }
#ifdef CAPSTAN_DEFECTS
  bool has(Defect defect) const { return defects_.contains(defect); }
#else
  static constexpr bool has(Defect) { return false; }
#endif

 private:
  std::set<Defect> defects_ = {};
};

}  // namespace capstan::apiserver
