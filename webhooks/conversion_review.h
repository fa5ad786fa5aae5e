// Answers ConversionReviews of apiextensions.k8s.io/v1: what the API server posts to /convert when an object
// is wanted in another version than it is stored in. Bytes in, bytes out; pure but for the question which
// version of a provider's kind keeps the contract. Used by the endpoint; safe from any thread.
#pragma once

#include <string>
#include <string_view>

#include "api/v1beta1/convert.h"
#include "base/result.h"

namespace capstan::webhooks {

// An error means that the bytes are no such review, which is answered with status 400. An object that cannot
// be converted fails its whole review: the answer then says Failure and names the object.
Result<std::string> answer_conversion(std::string_view review,
                                      const api::v1beta1::ApiVersionOf& api_version_of);

}  // namespace capstan::webhooks
