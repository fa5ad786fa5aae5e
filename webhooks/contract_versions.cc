#include "webhooks/contract_versions.h"

#include <fmt/format.h>

#include <utility>

#include "api/contract/plural.h"
#include "api/contract/version.h"
#include "base/try.h"

namespace capstan::webhooks {

api::v1beta1::ApiVersionOf by_contract(LabelsOf labels_of) {
  return [labels_of = std::move(labels_of)](std::string_view group,
                                            std::string_view kind) -> Result<std::string> {
    const std::string name = api::contract::crd_name(group, kind);
    const auto labels = TRY(labels_of(name));
    if (!labels) {
      return fail(
          Code::NotFound,
          fmt::format("no version of {} is known: CustomResourceDefinition {} is missing", kind, name));
    }
    const auto found = TRY(api::contract::resolve(name, *labels));
    return fmt::format("{}/{}", group, found.version);
  };
}

}  // namespace capstan::webhooks
