#include <fmt/format.h>

#include "apiserver/document.h"
#include "apiserver/verbs.h"
#include "apiserver/writing.h"
#include "kube/json_patch.h"
#include "kube/merge_patch.h"

namespace capstan::apiserver {
namespace {

Answer<json::object> patched(const Request& request, const json::object& live) {
  json::value document = live;
  switch (request.patch_type) {
    case kube::PatchType::Json: {
      if (!request.body.value.is_array()) {
        return Refusal(bad_request("error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch"));
      }
      auto applied = kube::apply_json_patch(document, request.body.value);
      if (!applied) {
        return Refusal(status_error(422, "Invalid",
                                    fmt::format("the server rejected our request due to an error in our request: {}",
                                                applied.error().message)));
      }
      break;
    }
    case kube::PatchType::Merge:
    case kube::PatchType::Strategic:
      if (!request.body.value.is_object()) {
        return Refusal(bad_request("error decoding patch: the patch is not an object"));
      }
      kube::apply_merge_patch(document, request.body.value);
      break;
    case kube::PatchType::Apply: return Refusal(unsupported_media_type("apply patches come later"));
  }
  if (!document.is_object()) return Refusal(bad_request("the patch leaves no object"));
  return std::move(document.get_object());
}

}  // namespace

Response patch_object(Core& core, const Target& target, const Request& request) {
  if (!target.type->allows("patch")) return method_not_allowed("patch");
  return update(core, target, request, [&](const ObjectPtr& live, Warnings& warnings) -> Answer<json::object> {
    auto document = patched(request, *live);
    if (!document) return document;
    auto object = shaped(core, target, std::move(*document), request, warnings);
    if (object) own_update(core, target, request, *object, live.get());
    return object;
  });
}

}  // namespace capstan::apiserver
