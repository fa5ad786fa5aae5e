#include "kube/kinds.h"

namespace capstan::kube {

Resource resource_of(const api::ResourceInfo& info) {
  return {.group = std::string(info.group),
          .version = std::string(info.version),
          .plural = std::string(info.plural),
          .kind = std::string(info.kind),
          .namespaced = info.scope == api::Scope::Namespaced};
}

}  // namespace capstan::kube
