// What a client wants its answer to look like: the Accept header of Kubernetes. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace capstan::apiserver {

enum class Form { Json, Yaml, Table, PartialMetadata, PartialMetadataList, AggregatedDiscovery };

// The first acceptable form; nothing means 406.
std::optional<Form> acceptable_form(std::string_view accept);

}  // namespace capstan::apiserver
