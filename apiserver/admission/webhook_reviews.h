// The documents webhooks are sent and answer with: AdmissionReview (admission.k8s.io/v1) and ConversionReview
// (apiextensions.k8s.io/v1). Used by webhooks.cc. Pure functions.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/admission/admission.h"
#include "base/result.h"

namespace capstan::apiserver {

// `request` with its objects at `version`, which may be another one than the client spoke.
json::object admission_review(const AdmissionReviewRequest& request, std::string_view version,
                              std::string_view uid);

// The `response` of a well-formed answer to the review with this uid.
Result<json::object> admission_response(const json::value& review, std::string_view uid);

// `object` with the patch of an allowing response, if it has one.
Result<json::value> patched(const json::object& object, const json::object& response);

// The refusal a client gets when the response is not allowed.
std::optional<Response> admission_refusal(std::string_view webhook, const json::object& response);

json::object conversion_review(const std::string& api_version, const std::vector<ObjectPtr>& objects,
                               std::string_view uid);

// The converted objects, in order. Metadata but for labels and annotations stays that of the originals.
Result<std::vector<ObjectPtr>> converted_objects(const json::value& review, std::string_view uid,
                                                 const std::string& api_version,
                                                 const std::vector<ObjectPtr>& originals);

}  // namespace capstan::apiserver
