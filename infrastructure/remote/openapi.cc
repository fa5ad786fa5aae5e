#include "infrastructure/remote/openapi.h"

#include <boost/json.hpp>

#include "api/schema/openapi.h"
#include "api/schema/yaml.h"
#include "infrastructure/remote/messages.h"
#include "infrastructure/remote/protocol.h"

namespace capstan::infrastructure::remote {
namespace {

namespace json = boost::json;

json::object json_body(json::value schema) { return {{"application/json", {{"schema", std::move(schema)}}}}; }

// Credentials are carried, not described by a descriptor: what an object of them holds is said here.
template <typename Request>
json::value request_schema() {
  json::value schema = api::openapi<Request>();
  json::value* const credentials = schema.at("properties").as_object().if_contains("credentials");
  if (credentials == nullptr) return schema;
  auto& described = credentials->as_object();
  described.erase("x-kubernetes-preserve-unknown-fields");
  described["additionalProperties"] = {{"type", "string"}, {"format", "byte"}};
  return schema;
}

template <typename Request, typename Wanted>
json::value operation(std::string_view says) {
  const json::object error{{"description", "It failed, or it is not known whether it did."},
                           {"content", json_body(api::openapi<ErrorAnswer>())}};
  return {{"post",
           {{"description", says},
            {"requestBody", {{"required", true}, {"content", json_body(request_schema<Request>())}}},
            {"responses",
             {{"200", {{"description", "Done."}, {"content", json_body(api::openapi<Wanted>())}}},
              {"default", error}}}}}};
}

std::string path_of(std::string_view verb) { return std::string(kPathPrefix) + std::string(verb); }

json::object paths() {
  json::object all;
  all[path_of(verb::kCreate)] = operation<CreateRequest, VmAnswer>(
      "Makes a VM and answers when it exists, not when it runs; or answers the one that has the key.");
  all[path_of(verb::kInitialize)] = operation<InitializeRequest, VmAnswer>(
      "What a VM needs after it exists; called after create, and as long as status fails with "
      "Uninitialized.");
  all[path_of(verb::kDelete)] = operation<VmRequest, EmptyAnswer>(
      "Takes the VM and what came with it, never persistent volumes. Fails with NotFound when there is "
      "none.");
  all[path_of(verb::kStatus)] = operation<VmRequest, VmAnswer>(
      "The VM as it is now. Fails with NotFound, or with OutOfRange when there are several.");
  all[path_of(verb::kList)] = operation<ListRequest, ListAnswer>("All VMs that have these tags.");
  all[path_of(verb::kTag)] = operation<TagRequest, EmptyAnswer>("Sets tags of a VM and takes others off.");
  all[path_of(verb::kVolumeIds)] = operation<VolumeIdsRequest, VolumeIdsAnswer>(
      "The cloud's names of those of these PersistentVolumes that are its own.");
  all[path_of(verb::kIdentity)] =
      operation<IdentityRequest, IdentityAnswer>("Which driver this is, and whose VMs it reaches.");
  return all;
}

}  // namespace

std::string openapi_text() {
  const json::object document{
      {"openapi", "3.0.3"}, {"info", {{"title", "Capstan drivers"}, {"version", "v1"}}}, {"paths", paths()}};
  return api::write_yaml(document);
}

}  // namespace capstan::infrastructure::remote
