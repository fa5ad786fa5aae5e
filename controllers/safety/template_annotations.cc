#include "controllers/safety/template_annotations.h"

#include <algorithm>
#include <array>

#include "api/driver/names.h"
#include "api/policy/names.h"
#include "controllers/safety/deleted_for.h"

namespace capstan::controllers::safety {
namespace {

namespace annotation = api::policy::annotation;

constexpr std::array kOfOneMachine = {
    annotation::kReplace,  // of all that are ever made each would be replaced as soon as it is there
    annotation::kReplacementGranted,
    annotation::kFleetRequest,
    annotation::kFleetGrant,
    kDeletedFor,
    annotation::kInPlaceUpdate,
    annotation::kPreserveUntil,
    annotation::kPreserveFromNode,
    annotation::kAutoPreserved,
    annotation::kPreservationDrain,
    annotation::kResourceExhaustedUntil,
    api::driver::annotation::kAbandonVm,  // it would give up the VM of each
};

}  // namespace

bool concerns_one_machine(std::string_view annotation) {
  return std::ranges::find(kOfOneMachine, annotation) != kOfOneMachine.end();
}

api::Labels annotations_from(const api::Labels& of_template) {
  api::Labels given = of_template;
  for (const std::string_view key : kOfOneMachine) given.erase(key);
  return given;
}

}  // namespace capstan::controllers::safety
