#include "controllers/lifecycle/request.h"

#include <fmt/format.h>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/annotations.h"

namespace capstan::controllers::lifecycle {
namespace {

namespace annotation = api::policy::annotation;

struct Place {
  const api::Labels& annotations;
  std::string_view key = {};
  std::string whose = {};
};

void look_at(const Place& place, ReplaceRequest& request) {
  auto flag = flag_in(place.annotations, "annotation", place.key);
  if (!flag.problem.empty()) request.ignored.push_back(fmt::format("{}: {}", place.whose, flag.problem));
  if (flag.is_on && request.by.empty())
    request.by = fmt::format("annotation {} of {}", flag.key, place.whose);
}

}  // namespace

ReplaceRequest replace_request(const api::Machine& machine, const api::Node* node) {
  ReplaceRequest request;
  look_at({machine.metadata.annotations, annotation::kReplace, "the Machine"}, request);
  if (node == nullptr) return request;
  const std::string name = fmt::format("Node {}", node->metadata.name.view());
  for (const auto key : {annotation::kReplace, annotation::kTriggerDeletion})
    look_at({node->metadata.annotations, key, name}, request);
  return request;
}

std::string unheeded_request(const api::Machine& machine, const api::Node* node) {
  const ReplaceRequest request = replace_request(machine, node);
  if (request.by.empty()) return {};
  const bool exempt = machine.metadata.annotations.contains(api::annotation::kSkipRemediation);
  return fmt::format("{} is not heeded: {}", request.by,
                     exempt ? fmt::format("the Machine has {}", api::annotation::kSkipRemediation)
                            : "its policy has no health.nodeChecks");
}

}  // namespace capstan::controllers::lifecycle
