#include "bootstrap/controller/render.h"

#include <fmt/format.h>

#include "bootstrap/controller/stage.h"
#include "bootstrap/user_data.h"
#include "kube/kinds.h"
#include "runtime/ownership.h"

namespace capstan::bootstrap::controller {
namespace {

std::string endpoint_of(const api::Cluster& cluster) {
  const auto& endpoint = cluster.spec.control_plane_endpoint;
  if (!endpoint.valid()) return {};
  const std::string_view host = endpoint.host;
  return host.contains(':') ? fmt::format("[{}]:{}", host, *endpoint.port)
                            : fmt::format("{}:{}", host, *endpoint.port);
}

MachineFacts facts_of(const Observation& seen, const std::optional<Token>& token) {
  const Owner& owner = *seen.owner;
  MachineFacts facts{.cluster = seen.cluster->metadata.name.str(),
                     .namespace_ = seen.cluster->metadata.namespace_.str(),
                     .machine = owner.is_pool() ? std::string() : owner.name,
                     .machine_pool = owner.is_pool() ? owner.name : std::string(),
                     .kubernetes_version = owner.version,
                     .endpoint = endpoint_of(*seen.cluster),
                     .control_plane = owner.control_plane};
  if (token)
    facts.join = JoinFacts{.authority_pem = seen.live->authority_pem,
                           .token = token->id.empty() ? std::string() : token->text()};
  if (token && seen.node_config)
    facts.node_config =
        NodeConfigFacts{.name = seen.node_config->metadata.name.str(), .agent = seen.node_config->spec.agent};
  return facts;
}

std::string too_large(std::size_t size) {
  return fmt::format(
      "the data would have {} bytes, and clouds take {}: shorten spec.files or spec.commands, or have the "
      "machine fetch them",
      size, kLargestUserData);
}

}  // namespace

std::optional<Rendered> rendered(const Observation& seen, const std::optional<Token>& token, Plan& plan) {
  const api::CloudConfigSpec& spec = seen.object->spec;
  auto text = render(spec, facts_of(seen, token));
  const auto refuse = [&](std::string why) {
    plan.waiting = runtime::Waiting{.code = api::NoteCode::ConfigInvalid, .message = std::move(why)};
    return std::nullopt;
  };
  if (!text) return refuse(text.error().message);
  if (token && text->size() > kLargestUserData) return refuse(too_large(text->size()));
  return Rendered{.value = Secret(std::move(*text)),
                  .format = std::string(format_of(spec)),
                  .token_id = token ? token->id : std::string()};
}

void create_secret(const Observation& seen, const std::optional<Token>& token, Plan& plan) {
  if (auto content = rendered(seen, token, plan)) create_secret(seen, std::move(*content), plan);
}

void create_secret(const Observation& seen, Rendered content, Plan& plan) {
  plan.actions.emplace_back(CreateSecret{
      .key = data_key(seen),
      .cluster = seen.owner->cluster,
      .owner = runtime::controller_reference(kube::resource_of<api::CloudConfig>(), seen.object->metadata),
      .for_kind = seen.owner->kind,
      .content = std::move(content)});
}

}  // namespace capstan::bootstrap::controller
