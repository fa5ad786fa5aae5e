#include "bootstrap/controller/live.h"

#include <algorithm>
#include <boost/json.hpp>

#include "api/core/secret.h"
#include "api/names.h"
#include "base/try.h"
#include "bootstrap/controller/stage.h"
#include "bootstrap/data_secret.h"
#include "bootstrap/labels.h"
#include "bootstrap/mint.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/issue.h"
#include "runtime/ownership.h"

namespace capstan::bootstrap::controller {
namespace {

namespace json = boost::json;

// Of the management cluster; nothing when there is none.
Result<std::optional<json::value>> find_secret(const ObserveContext& with, const ObjectKey& key) {
  auto found = with.deps.client.get(kube::resources::secrets(), key, with.context.deadline);
  if (found) return std::optional(std::move(*found));
  if (found.error().code == Code::NotFound) return std::optional<json::value>();
  return fail(found.error().context("get secret " + key.describe()));
}

Result<std::string> read_authority(const ObserveContext& with, const ObjectKey& cluster) {
  const auto document = TRY(find_secret(with, kubeconfig::ca_key_of(cluster)));
  if (!document) return std::string();
  const api::SecretContent content = TRY(api::read_secret(*document));
  const Secret<std::string>* certificate = content.find(api::secret::kTlsCertificateKey);
  return certificate == nullptr ? std::string() : certificate->reveal();
}

Result<std::optional<DataSeen>> read_data(const ObserveContext& with, const Observation& seen) {
  const auto document = TRY(find_secret(with, data_key(seen)));
  if (!document) return std::optional<DataSeen>();
  const auto owner =
      runtime::controller_reference(kube::resource_of<api::CloudConfig>(), seen.object->metadata);
  return std::optional(DataSeen{.ours = belongs_to(*document, owner),
                                .token_id = token_id_in(*document),
                                .version = TRY(api::read_secret(*document)).resource_version});
}

Result<std::vector<Token>> read_tokens(const ObserveContext& with, const Observation& seen) {
  const auto client = TRY(with.deps.workloads.of(kube::key_of(*seen.cluster), with.context.deadline));
  const auto listed = TRY(client->list(
      kube::resources::secrets(),
      {.namespace_ = key_of_token({}).namespace_, .label_selector = tokens_of(kube::key_of(*seen.object))},
      with.context.deadline));
  std::vector<Token> tokens;
  const auto* items = listed.as_object().if_contains("items");
  if (items == nullptr || !items->is_array()) return tokens;
  for (const json::value& item : items->as_array()) {
    if (auto token = read_token(item)) tokens.push_back(std::move(*token));
  }
  std::ranges::sort(tokens, {}, [](const Token& token) { return std::tuple(token.created, token.id); });
  std::ranges::reverse(tokens);
  return tokens;
}

void add_tokens(const ObserveContext& with, const Observation& seen, Live& live) {
  auto tokens = read_tokens(with, seen);
  if (tokens) {
    live.tokens = std::move(*tokens);
    return;
  }
  with.deps.workloads.forget(kube::key_of(*seen.cluster));
  live.unreachable = tokens.error();
}

// True when all of it could be read.
bool add_secrets(const ObserveContext& with, const Observation& seen, Live& live) {
  auto authority = read_authority(with, kube::key_of(*seen.cluster));
  auto data = read_data(with, seen);
  if (!authority) live.error = authority.error();
  if (!data) live.error = data.error();
  if (live.error) return false;
  live.authority_pem = std::move(*authority);
  live.data = std::move(*data);
  return true;
}

Live look_at_joining(const ObserveContext& with, const Observation& seen) {
  Live live;
  if (!add_secrets(with, seen, live) || live.authority_pem.empty()) return live;
  add_tokens(with, seen, live);
  live.spare = mint(with.deps.keys);
  return live;
}

}  // namespace

std::optional<Live> read_live(const ObserveContext& with, const Observation& seen) {
  if (paused_by(seen).paused || !seen.fresh || !seen.cluster) return std::nullopt;
  Live live;
  switch (stage_of(seen)) {
    case Stage::Plain:
    case Stage::Settled: return std::nullopt;
    case Stage::Leaving: add_tokens(with, seen, live); return live;
    case Stage::ControlPlane:
      if (data_created(seen) || obstacle(seen)) return std::nullopt;
      add_secrets(with, seen, live);
      return live;
    case Stage::Joining:
      if (obstacle(seen)) return std::nullopt;
      return look_at_joining(with, seen);
  }
  return std::nullopt;
}

Result<std::string> cluster_in_data(const ObserveContext& with, const Observation& seen) {
  const auto document = TRY(find_secret(with, data_key(seen)));
  return document ? label_in(*document, api::label::kClusterName) : std::string();
}

}  // namespace capstan::bootstrap::controller
