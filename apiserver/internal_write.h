// Writes of the server's own controllers: straight into the store, without admission and field ownership.
// Internal to apiserver/.
#pragma once

#include <functional>
#include <string_view>

#include "apiserver/core.h"

namespace capstan::apiserver {

// Edits the stored object until no other write comes in between; `edit` answers whether there is anything to
// write. Ends the deletion of an object that nothing holds back any more. True when it wrote.
bool edit_stored(Core& core, std::string_view collection, const StoredKey& key,
                 const std::function<bool(json::object&)>& edit);

bool remove_finalizer(Core& core, std::string_view collection, const StoredKey& key,
                      std::string_view finalizer);

// A DELETE by the server itself, with admission. True when the object is marked or gone because of it.
bool delete_stored(Core& core, const Kind& kind, const StoredKey& key, std::string_view uid,
                   std::string_view propagation = "Background");

}  // namespace capstan::apiserver
