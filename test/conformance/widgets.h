// The kinds the scripts talk about: Widget (namespaced, status and scale subresources, every kind of schema
// rule), Gadget (cluster-scoped, no subresources, two served versions with the same schema) and Ruled (CEL
// rules: real server only).
#pragma once

#include <boost/json/fwd.hpp>
#include <vector>

namespace capstan::conformance {

std::vector<boost::json::value> widget_definitions();

}  // namespace capstan::conformance
