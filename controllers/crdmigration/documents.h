// Texts and lists at places of a document that may lack them. Pure; for the sources of this folder.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>

namespace capstan::controllers::crdmigration {

namespace json = boost::json;

// Empty when there is no text at that place.
std::string text_at(const json::value& document, std::string_view pointer);
// Empty when there is no list at that place.
const json::array& list_at(const json::value& document, std::string_view pointer);

}  // namespace capstan::controllers::crdmigration
