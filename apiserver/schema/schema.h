// The structural schema of one kind as a tree: what validation, defaulting, pruning, patches, server-side
// apply, explain and OpenAPI all walk. Built from a CRD (schema/parse.h) or from the table of built-in kinds
// (builtin/). Immutable once built and shared; nodes may be shared and may be recursive. Safe from any
// thread.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::apiserver {

namespace json = boost::json;

enum class Type { Any, Object, Array, String, Integer, Number, Boolean };
enum class ListType { Atomic, Set, Map };
enum class MapType { Granular, Atomic };

// How a field of a built-in type travels when it is empty, as Go's struct tags say: left out; kept once it
// was given (a pointer); always there, as its zero value.
enum class Presence { OmitEmpty, Pointer, Always };

// "object", "array" ...; empty for Any.
std::string_view to_string(Type type);

class Pattern;  // schema/pattern.h
struct Schema;
using SchemaPtr = std::shared_ptr<const Schema>;

struct Schema {
  Type type = Type::Any;
  std::string title = {};
  std::string description = {};
  std::string format = {};
  std::string type_name =
      {};  // built-in types only: "io.k8s.api.core.v1.PodSpec", for OpenAPI references and explain

  bool builtin =
      false;  // part of a built-in type: wrong types are refused when decoding, empty values are normalised
  Presence presence = Presence::OmitEmpty;

  // Objects. A field of the object is looked up in `properties`, then `additional`.
  std::map<std::string, SchemaPtr, std::less<>> properties = {};
  std::vector<std::string> required = {};
  SchemaPtr additional = {};  // values of a map
  bool preserve_unknown = false;
  bool embedded_resource = false;
  MapType map_type = MapType::Granular;

  // Arrays.
  SchemaPtr items = {};
  ListType list_type = ListType::Atomic;
  std::vector<std::string> list_keys = {};
  // Built-in arrays only, for strategic merge patch. Empty key: a list of scalars merged as a set.
  bool patch_merge = false;
  std::string patch_merge_key = {};
  bool patch_retain_keys = false;

  // Values.
  bool int_or_string = false;
  bool nullable = false;
  std::optional<json::value> default_value = {};
  std::vector<json::value> enumeration = {};
  std::optional<double> minimum = {};
  std::optional<double> maximum = {};
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;
  std::optional<double> multiple_of = {};
  std::optional<std::int64_t> min_length = {};
  std::optional<std::int64_t> max_length = {};
  std::string pattern = {};
  std::shared_ptr<const Pattern> compiled_pattern = {};
  std::optional<std::int64_t> min_items = {};
  std::optional<std::int64_t> max_items = {};
  bool unique_items = false;
  std::optional<std::int64_t> min_properties = {};
  std::optional<std::int64_t> max_properties = {};
  // Logical junctors: value validations only, never structure.
  std::vector<SchemaPtr> all_of = {};
  std::vector<SchemaPtr> any_of = {};
  std::vector<SchemaPtr> one_of = {};
  SchemaPtr not_ = {};

  // The JSON this node was read from (CRDs), for publishing it unchanged in OpenAPI; null for built-in types.
  std::shared_ptr<const json::value> source = {};

  // The schema of a field, or null when it is not specified.
  const Schema* field(std::string_view name) const;
};

}  // namespace capstan::apiserver
