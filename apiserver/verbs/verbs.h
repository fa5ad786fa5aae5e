// The verbs, one function each; Api dispatches to them. Internal to apiserver/. They hold no lock between
// reading and writing: a write that finds the object changed starts over.
#pragma once

#include <functional>
#include <memory>

#include "apiserver/core.h"

namespace capstan::apiserver {

Response get_object(const Core& core, const Target& target, const Request& request);
Response list_objects(const Core& core, const Target& target, const Request& request);
Answer<std::unique_ptr<Watch>> open_watch(Core& core, const Target& target, const Request& request);
Response create_object(Core& core, const Target& target, const Request& request);
Response replace_object(Core& core, const Target& target, const Request& request);
Response patch_object(Core& core, const Target& target, const Request& request);
Response delete_object(Core& core, const Target& target, const Request& request);
Response delete_collection(Core& core, const Target& target, const Request& request);

}  // namespace capstan::apiserver
