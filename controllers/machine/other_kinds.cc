#include "controllers/machine/other_kinds.h"

#include <fmt/core.h>

#include <algorithm>
#include <boost/json.hpp>
#include <tuple>
#include <vector>

#include "api/contract/contract_object.h"
#include "api/contract/foreign.h"
#include "api/contract/version.h"
#include "api/names.h"
#include "api/schema/decode.h"
#include "base/try.h"

namespace capstan::controllers::machine {
namespace {

namespace contract = api::contract;

constexpr std::int64_t kPage = 500;
constexpr std::string_view kTemplates = "templates";

// Kinds that keep the contract, less those that can hold no infrastructure of a Machine.
std::vector<kube::Resource> kinds_to_search(const runtime::Store<api::CustomResourceDefinition>& crds,
                                            const api::Machine& machine) {
  const auto& config = machine.spec.bootstrap.config_ref;
  std::vector<kube::Resource> kinds;
  for (const auto& crd : crds.all()) {
    const std::string name = crd->metadata.name.str();
    const std::size_t dot = name.find('.');
    if (dot == std::string::npos) continue;
    kube::Resource resource{.group = name.substr(dot + 1), .plural = name.substr(0, dot), .namespaced = true};
    if (resource.plural.ends_with(kTemplates) || resource.group == api::group::kCluster) continue;
    if (config && resource.group == config->api_group) continue;
    const auto found = contract::resolve(name, crd->metadata.labels);
    if (!found) continue;
    resource.version = found->version;
    resource.kind = resource.plural;
    kinds.push_back(std::move(resource));
  }
  std::ranges::sort(kinds, {}, [](const auto& kind) { return std::tuple{kind.group, kind.plural}; });
  return kinds;
}

bool belongs_to(const contract::ContractObject& object, const api::Machine& machine) {
  if (const auto* controller = object.metadata.controller()) return controller->uid == machine.metadata.uid;
  if (machine.spec.provider_id.empty()) return false;
  const auto id = contract::read_text(contract::Foreign(object), contract::path::kProviderId);
  return id && id->value_or("") == machine.spec.provider_id.view();
}

Result<std::string> search(kube::Client& client, const kube::Resource& resource, const api::Machine& machine,
                           const Deadline& deadline) {
  kube::ListOptions options{.namespace_ = machine.metadata.namespace_.str(), .limit = kPage};
  do {
    const auto page = client.list(resource, options, deadline);
    if (!page && page.error().code == Code::NotFound)
      return std::string();  // uninstalled, or of no namespace
    if (!page) return fail(page.error().context("list " + resource.plural));
    for (const auto& item : page->at("items").as_array()) {
      const auto object = TRY(api::from_json<contract::ContractObject>(item));
      if (!belongs_to(object, machine)) continue;
      return fmt::format("{} {}/{}", object.kind.empty() ? resource.plural : object.kind.str(),
                         object.metadata.namespace_.view(), object.metadata.name.view());
    }
    options.continue_token.clear();
    if (const auto* metadata = page->as_object().if_contains("metadata"); metadata && metadata->is_object()) {
      const auto* token = metadata->as_object().if_contains("continue");
      if (token != nullptr && token->is_string()) options.continue_token = std::string(token->as_string());
    }
  } while (!options.continue_token.empty());
  return std::string();
}

}  // namespace

Result<std::string> other_infrastructure(kube::Client& client,
                                         const runtime::Store<api::CustomResourceDefinition>& crds,
                                         const api::Machine& machine, const Deadline& deadline) {
  for (const auto& resource : kinds_to_search(crds, machine)) {
    auto found = TRY(search(client, resource, machine, deadline));
    if (!found.empty()) return found;
  }
  return std::string();
}

}  // namespace capstan::controllers::machine
