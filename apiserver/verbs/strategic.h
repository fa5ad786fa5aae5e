// Strategic merge patches of the built-in kinds: lists merged by the keys their types declare, with the
// $patch, $setElementOrder, $deleteFromPrimitiveList and $retainKeys directives. Pure.
#pragma once

#include <boost/json.hpp>
#include <expected>
#include <string>

#include "apiserver/schema/schema.h"

namespace capstan::apiserver {

// The patched document, or what is wrong with the patch.
std::expected<json::object, std::string> strategic_merge(const json::object& live, const json::object& patch,
                                                         const Schema& schema);

}  // namespace capstan::apiserver
