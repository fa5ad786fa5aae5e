// What happens to a single value between the versions (Change in api/v1beta1/rows.h). Used by the converter
// only. Pure but for the lookup it is given.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string_view>

#include "api/v1beta1/convert.h"
#include "api/v1beta1/rows.h"

namespace capstan::api::v1beta1 {

// What the annotation says about the value: whether there is an annotation, and what it held at the new path.
struct Restored {
  bool known = false;
  const boost::json::value* value = nullptr;
};

// What a reference of the old version needs.
struct Surroundings {
  std::string_view object_namespace = {};
  const ApiVersionOf& api_version_of;
};

// `value` is null where the document has none, and where none shall be written.
Result<void> make_new(const Row& row, boost::json::value& value, const Restored& restored);
Result<void> make_old(const Row& row, boost::json::value& value, const Surroundings& surroundings);

}  // namespace capstan::api::v1beta1
