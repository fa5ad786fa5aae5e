// What every built object gets: a UID that follows from kind and name, and times counted from one fixed noon.
// So two tests that build "the same" object build equal objects.
#pragma once

#include <string_view>

#include "api/meta/object_meta.h"

namespace capstan::builders {

inline constexpr std::string_view kNamespace = "default";
inline constexpr std::string_view kCluster = "c1";

// 2026-01-01T12:00:00Z, the moment tests begin.
constexpr Time noon() { return Time::from_unix(1767268800); }

api::Uid uid_of(std::string_view kind, std::string_view name);
api::ObjectMeta metadata_of(std::string_view kind, std::string_view name);
api::OwnerReference controller_of(std::string_view kind, std::string_view name);

}  // namespace capstan::builders
