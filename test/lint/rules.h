// The rules of the house, one function each: what is wrong in this tree. lint_test runs them on the
// repository and on seeded mistakes. Pure functions.
#pragma once

#include "test/lint/source.h"

namespace capstan::lint {

// Include only downwards (README, "Folders"); folders of one floor never include each other.
Findings check_floors(const Tree& tree);
// Asio, Beast, OpenSSL, yaml-cpp, prometheus-cpp and cpp-httplib have homes; nothing reaches them from
// elsewhere, not even through one of our headers.
Findings check_homes(const Tree& tree);
// Headers stay light: JSON by its forward declarations, no fmt.
Findings check_light_headers(const Tree& tree);
// Coroutines, sleeping, clocks, locks, threads, chance and the like outside the one place that may.
Findings check_banned_words(const Tree& tree);
// decide, report, protocols, conditions and rules are functions of their arguments, and so is what calls
// itself pure or a plain value: nothing that they include, however indirectly, reads clocks, asks servers or
// waits.
Findings check_purity(const Tree& tree);
// A header says what it is and guards itself with #pragma once; none opens a namespace for its users.
Findings check_header_form(const Tree& tree);
// x.cc, or else x_test.cc, includes x.h before anything else, which proves that x.h compiles alone.
Findings check_own_header_first(const Tree& tree);
// No loop over `*call()`: the loop keeps what it points at no longer than the call (until C++23's P2718).
Findings check_loops(const Tree& tree);
// Controllers delete and evict in controllers/claims/removal.cc alone, which asks for a Clearance.
Findings check_removals(const Tree& tree);
// No path of the machine a file was written on.
Findings check_machine_paths(const Tree& tree);
// Pages name files, folders and scripts that exist.
Findings check_docs(const Tree& tree);
// What is cited can be opened: a page of this repository, Kubernetes' or upstream's documentation, an RFC.
Findings check_citations(const Tree& tree);
// The subject of a comment is a thing of the code; the words that leave it open are listed in subjects.cc.
Findings check_subjects(const Tree& tree);
// A suite that needs foreign servers or programs is left out by scripts/test, and a stage runs it.
Findings check_stages(const Tree& tree);
// No two fixtures of tests (a class that ends in World, Stage, Fixture or Ground) have one name.
Findings check_fixture_names(const Tree& tree);
// `capstan cleanup` takes off every key below capstan.dev that a constant names.
Findings check_own_keys(const Tree& tree);
// docs/metrics.md says truly of each metric of upstream's whether it is here, and why not.
Findings check_metric_names(const Tree& tree);
// docs/safety.md names for each brake a metric, an alert and a test that exist, and for each incident a test.
Findings check_safety_page(const Tree& tree);
// Each safeguard of base/safeguards.h is taken away by a test.
Findings check_mutants(const Tree& tree);

// All of them, without what exceptions.h allows; an exception without a finding is a finding too.
Findings check_all(const Tree& tree);

}  // namespace capstan::lint
