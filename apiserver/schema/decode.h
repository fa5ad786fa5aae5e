// Reading a document as the Go struct behind a built-in type would: wrong types are refused, unknown fields
// noticed and dropped, empty values brought into the one form in which they travel. Pure.
#pragma once

#include <boost/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/schema/schema.h"

namespace capstan::apiserver {

struct DecodeFindings {
  std::optional<std::string> error = {};  // "json: cannot unmarshal ..."; the document is of no use then
  std::vector<std::string> unknown_fields = {};  // paths, in order of name
};

// `name` is the Go type the messages speak of at the root, `path` what unknown fields below it start with.
DecodeFindings decode_builtin(json::object& document, const Schema& schema, std::string_view path = {});

// What the Go struct would print: empty values left out, those that are always there put in.
void normalise_builtin(json::object& document, const Schema& schema);

// The schema of metadata, the same for every kind.
const Schema& object_meta_schema();

}  // namespace capstan::apiserver
