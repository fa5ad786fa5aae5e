#include "test/conformance/defects.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <vector>

#include "test/conformance/embedded.h"

namespace capstan::conformance {
namespace {

const std::vector<mutants::Mutant>& all_known() {
  static const std::vector<mutants::Mutant> all = {
      {"noop-write-bumps-version", "update: an unchanged object keeps its version"},
      {"metadata-bumps-generation", "update: changed metadata keeps the generation"},
      {"status-write-changes-spec", "status: a write changes the status only"},
      {"spec-write-changes-status", "status: a write to the object leaves it alone"},
      {"finalizer-ignored", "delete: a finalizer holds the object and stamps it"},
      {"apply-drops-others-fields", "apply: what the intent drops stays while another owns it"},
      {"apply-ignores-conflicts", "apply: another manager's different value is a conflict that names it"},
      {"apply-keeps-dropped-fields", "apply: what the intent drops is removed"},
      {"list-map-replaced", "apply: a keyed list merges entry by entry"},
      {"stale-update-accepted", "update: an old version is a Conflict"},
      {"watch-out-of-order", "watch: from a version come exactly the changes after it, in order"},
      {"watch-selector-forgets-deleted", "watch: an object that stops matching a selector is deleted"},
      {"bookmark-missing", "watch: initial events end with an annotated bookmark"},
      {"gone-never-sent", "watch: a version from before the kind was known is Expired"},
      {"continue-ignored", "list: pages hold limit items and lead to the next"},
      {"list-page-not-snapshot", "list: all pages show one moment"},
      {"delete-precondition-ignored", "delete: a wrong uid as precondition is a Conflict"},
      {"dry-run-persists", "create: a dry run answers 201 and stores nothing"},
      {"orphan-deleted", "owners: orphaning keeps the children without the reference"},
      {"disruption-budget-ignored", "eviction: a budget that is used up answers 429 with its cause"},
      {"defaults-missing", "defaults: a missing field gets its default"},
      {"unknown-fields-kept", "pruning: an unknown field is dropped"},
  };
  return all;
}

Script script_named(std::string_view name) {
  const auto scripts = all_scripts();
  const auto found =
      std::ranges::find(scripts, name, [](const Script& script) { return std::string_view(script.name); });
  if (found == scripts.end()) throw std::invalid_argument(fmt::format("there is no script \"{}\"", name));
  return *found;
}

std::unique_ptr<Embedded> a_server(const DefectProof& proof, const std::string& defect = {}) {
  auto embedded = Embedded::start({.program = proof.program, .defect = defect});
  install_kinds(embedded->server(), proof.crds);
  return embedded;
}

Outcome outcome_on(const Embedded& embedded, const Script& script) {
  Outcome outcome = run_scripts(embedded.server(), std::span(&script, 1)).front();
  if (!embedded.runs()) return {.script = outcome.script, .broke = true, .why = "the server died"};
  return outcome;
}

mutants::Verdict look_for(const mutants::Mutant& defect, const DefectProof& proof, const Embedded& sound) {
  const Script script = script_named(defect.promise);
  const Outcome usual = outcome_on(sound, script);
  if (!usual.passed) return {.how = "fails on a sound server, too: " + usual.why};
  const Outcome outcome = outcome_on(*a_server(proof, defect.name), script);
  if (outcome.passed) return {.how = "its script passes"};
  if (outcome.broke) return {.how = outcome.why};
  return {.noticed = true, .how = "caught"};
}

}  // namespace

std::span<const mutants::Mutant> known_defects() { return all_known(); }

int prove_defects(const DefectProof& proof) {
  const auto faults = mutants::faults_of(known_defects(), defect_names(proof.program));
  for (const std::string& fault : faults) fmt::print(stderr, "conformance: {}\n", fault);
  const auto chosen = mutants::chosen(known_defects(), proof.filter);
  if (!chosen) fmt::print(stderr, "conformance: {}\n", chosen.error().message);
  if (!faults.empty() || !chosen) return 2;
  const auto sound = a_server(proof);
  const int unnoticed = mutants::count_unnoticed(
      *chosen, [&](const mutants::Mutant& defect) { return look_for(defect, proof, *sound); });
  fmt::print("{} passed, {} failed\n", static_cast<int>(chosen->size()) - unnoticed, unnoticed);
  return unnoticed == 0 ? 0 : 1;
}

}  // namespace capstan::conformance
