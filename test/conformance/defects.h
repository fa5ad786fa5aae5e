// Proves that the suite would notice mistakes: each seeded defect of the embedded server
// (apiserver/defects.h) has to break the script that is named beside it, which passes without the defect.
#pragma once

#include <span>
#include <string>

#include "test/conformance/script.h"
#include "test/mutants/mutants.h"

namespace capstan::conformance {

struct DefectProof {
  std::string program = {};
  std::string crds = {};
  std::string filter = {};  // words of defects or of scripts; empty: all of them
};

// 0: all are caught, 1: some are not, 2: the list of defects is not right or the filter leaves none.
int prove_defects(const DefectProof& proof);

// Each defect with the name of the script that has to fail.
std::span<const mutants::Mutant> known_defects();

}  // namespace capstan::conformance
