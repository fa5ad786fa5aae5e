// The common way of every write: what admission, metadata rules, validation and storage do to an object, in
// the order the real server does it. Internal to apiserver/.
#pragma once

#include <functional>

#include "apiserver/core.h"
#include "apiserver/verbs/incoming.h"

namespace capstan::apiserver {

// The webhooks' say. `operation` is CREATE or UPDATE.
Answer<json::object> admitted(Core& core, const Target& target, const Request& request, json::object object,
                              const ObjectPtr& before, Warnings& warnings);
std::optional<Response> refused_by_validation(Core& core, const Target& target, const Request& request,
                                              const ObjectPtr& object, const ObjectPtr& before,
                                              Warnings& warnings);
std::optional<Response> refused_deletion(Core& core, const Target& target, const Request& request,
                                         const ObjectPtr& before, Warnings& warnings);

// May objects be created in this namespace now?
std::optional<Response> refuse_namespace(const Core& core, const Target& target);

// Stores a new object: `object` is shaped and owned already; name and namespace are checked here.
Response insert(Core& core, Target target, const Request& request, json::object object, Warnings warnings);

// Makes the new object out of the live one, at the version of the request. Runs again when another write was
// faster.
using Edit = std::function<Answer<json::object>(const ObjectPtr& live, Warnings& warnings)>;
Response update(Core& core, const Target& target, const Request& request, const Edit& edit);

// The owners of fields after an Update: metadata.managedFields of `object`. `before` is null for a new
// object.
void own_update(const Core& core, const Target& target, const Request& request, json::object& object,
                const json::object* before);

// A server-side apply at the version of the request; `live` is null when there is no such object yet.
Answer<json::object> applied(const Core& core, const Target& target, const Request& request,
                             const json::object* live, Warnings& warnings);

// The manager a request writes as: fieldManager, or the name in front of the slash of its User-Agent.
std::string manager_of(const Request& request);
// Options that make no sense: an apply without a manager, force on something else, a manager's name too long.
std::optional<Response> refuse_manager(const Request& request);

}  // namespace capstan::apiserver
