// What all verbs of one Api share: store, registry, identities, options; and how a request names an object.
// Internal to apiserver/. Safe from any thread.
#pragma once

#include <expected>
#include <string>

#include "apiserver/api.h"
#include "apiserver/status_error.h"
#include "apiserver/store/identities.h"
#include "apiserver/store/registry.h"
#include "apiserver/store/storage.h"
#include "apiserver/target.h"

namespace capstan::apiserver {

struct Core {
  explicit Core(const ApiOptions& given) : options(given), storage(given.history), identities(given.seed) {}

  bool has(Defect defect) const { return options.defects.has(defect); }

  ApiOptions options;
  Storage storage;
  Registry registry = {};
  Identities identities;
};

Answer<Target> resolve(const Core& core, const Request& request);

// The document at the version of the request (or at the storage version): the same pointer when it is so
// already.
Answer<ObjectPtr> at_version(const Core& core, const ResourceType& type, std::string_view version,
                             const ObjectPtr& object);
Answer<ObjectPtr> as_requested(const Core& core, const Target& target, const ObjectPtr& object);
// Many at once: one call of a conversion webhook.
Answer<std::vector<ObjectPtr>> all_as_requested(const Core& core, const Target& target,
                                                std::vector<ObjectPtr> objects);

// A 200 with one object (or another status).
Response answer(const Target& target, ObjectPtr object, int status = 200);

}  // namespace capstan::apiserver
