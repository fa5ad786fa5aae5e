// The apiVersion under which references of v1beta1 name a provider's kind: what the contract labels of its
// CustomResourceDefinition say, as for every use of a reference. Given to answer_conversion(). Pure but for
// the labels it is given; as safe to share between threads as those.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "api/schema/text_map.h"
#include "api/v1beta1/convert.h"

namespace capstan::webhooks {

// Of the definition with that name; nothing when it does not exist, an error while that is not known.
using LabelsOf = std::function<Result<std::optional<api::TextMap>>(std::string_view crd_name)>;

api::v1beta1::ApiVersionOf by_contract(LabelsOf labels_of);

}  // namespace capstan::webhooks
