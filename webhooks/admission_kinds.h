// Which objects are defaulted and validated, and at which paths: upstream's for its kinds, the same pattern
// for ours. Used by admission.h, and by tests that need every kind. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "api/v1beta2/rules.h"
#include "webhooks/admission_review.h"
#include "webhooks/lookups.h"

namespace capstan::webhooks {

struct AdmissionContext {
  api::Gates gates = {};
  const Lookups* lookups = nullptr;  // null: no other object is known
};

struct AdmissionHook {
  std::string path = {};
  const api::ResourceInfo* kind = nullptr;
  // An error: the objects of the review can't be read.
  Result<Verdict> (*judge)(const AdmissionRequest& request, const AdmissionContext& context) = nullptr;
};

std::vector<AdmissionHook> admission_hooks();

// The body of a review in, the body of its answer out.
std::string answer_review(const AdmissionHook& hook, std::string_view body, const AdmissionContext& context);

}  // namespace capstan::webhooks
