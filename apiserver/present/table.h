// Tables (meta.k8s.io/v1): what kubectl get prints, computed here. Columns come from the CRD or from
// table_columns.h. Pure functions; ages are counted from `now`.
#pragma once

#include <boost/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/request.h"
#include "base/instant.h"

namespace capstan::apiserver {

namespace json = boost::json;

// What a row carries beside its cells (the query parameter includeObject).
enum class RowObject { None, Metadata, Full };

// `list_metadata` is null for a table of one object, whose resourceVersion becomes the table's.
json::object table(const ResourceType& type, std::string_view version, const std::vector<ObjectPtr>& objects,
                   const json::object* list_metadata, RowObject row_object, WallTime now);
json::object table(const ResourceType& type, std::string_view version, const std::vector<ObjectPtr>& objects,
                   const json::object* list_metadata, bool include_full_object, WallTime now);

// "45s", "2m5s", "3h", "5d2h", "2y10d": as kubectl counts; "<invalid>" for what lies in the future.
std::string age(Nanoseconds span);

}  // namespace capstan::apiserver
