// The few protobuf bodies that kubectl sends by itself (create secret, auth whoami, drain ...): from the
// Kubernetes envelope to the JSON document. Kinds that are not in its tables are refused; clients then have
// to speak JSON. Pure functions.
#pragma once

#include <boost/json.hpp>
#include <expected>
#include <string>
#include <string_view>

namespace capstan::apiserver {

namespace json = boost::json;

inline constexpr std::string_view kProtobufType = "application/vnd.kubernetes.protobuf";

enum class ProtobufFault { Malformed, UnknownKind };

std::expected<json::object, ProtobufFault> decode_protobuf(std::string_view bytes);

}  // namespace capstan::apiserver
