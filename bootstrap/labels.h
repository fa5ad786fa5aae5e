// Labels on what we make in workload clusters: they name the object of the management cluster it was made
// for. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/meta/object_key.h"

namespace capstan::bootstrap {

// A name may be longer than a label's value: a hash of all of it stands for its end then.
std::string label_value(std::string_view name);

// "" when it has no such label.
std::string label_in(const boost::json::value& object, std::string_view key);

// The labels for an object's namespace and name.
struct KeyLabels {
  std::string_view namespace_ = {};
  std::string_view name = {};
};
// Nothing when it has no such labels, or perhaps not all of the name.
std::optional<api::ObjectKey> key_in(const boost::json::value& object, const KeyLabels& labels);

}  // namespace capstan::bootstrap
