// Values at paths inside JSON documents: "spec.strategy.type". Used by the converter only. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <string_view>

namespace capstan::api::v1beta1 {

// Null when there is nothing, or when a step on the way is no object.
const boost::json::value* look_up(const boost::json::object& document, std::string_view path);
boost::json::value* look_up(boost::json::object& document, std::string_view path);
// Removes it from the document; null when there is nothing.
boost::json::value take(boost::json::object& document, std::string_view path);
// Makes the objects on the way.
void put(boost::json::object& document, std::string_view path, boost::json::value value);
// The objects on the way that have become empty.
void remove_empty_parents(boost::json::object& document, std::string_view path);

}  // namespace capstan::api::v1beta1
