#include "bootstrap/controller/join.h"

#include <fmt/format.h>

#include <algorithm>

#include "api/names.h"
#include "base/safeguards.h"
#include "bootstrap/controller/render.h"
#include "bootstrap/controller/stage.h"
#include "bootstrap/controller/token_times.h"
#include "kube/kinds.h"
#include "kubeconfig/issue.h"

namespace capstan::bootstrap::controller {
namespace {

using api::NoteCode;
using runtime::Waiting;

bool is_pool(const Observation& seen) { return seen.owner->is_pool(); }

const Token* with_id(const Live& live, std::string_view id) {
  const auto found = std::ranges::find(live.tokens, id, &Token::id);
  return found == live.tokens.end() ? nullptr : &*found;
}

// The one in the data before any other, for a VM may have read it; nothing: a new one is needed.
const Token* present_token(const Observation& seen) {
  const Live& live = *seen.live;
  if (live.data && !is_off(Safeguard::TokenOfData)) {
    const Token* named = with_id(live, live.data->token_id);
    if (named != nullptr && !is_old(seen, *named)) return named;
  }
  const auto newest = std::ranges::find_if(live.tokens, [&](const Token& one) { return !is_old(seen, one); });
  return newest == live.tokens.end() ? nullptr : &*newest;
}

// A VM may have read data whose token is gone, or in which there was none: another token would not reach it.
bool comes_too_late(const Observation& seen) {
  const Live& live = *seen.live;
  if (is_pool(seen) || !seen.owner->has_vm || !data_created(seen)) return false;
  return live.data ? with_id(live, live.data->token_id) == nullptr : live.tokens.empty();
}

void report_lost_token(const Observation& seen, Plan& plan) {
  if (!seen.live->data || seen.live->data->token_id.empty()) return;
  plan.waiting = Waiting{
      .code = NoteCode::CredentialsUnreadable,
      .message = fmt::format("bootstrap token {} is gone from Cluster {}, and the VM was made with it: "
                             "if no Node comes up, delete the Machine",
                             seen.live->data->token_id, seen.owner->cluster)};
}

TokenOwner owner_of_token(const Observation& seen) {
  const api::ObjectMeta& metadata = seen.object->metadata;
  return {.config = kube::key_of(*seen.object),
          .uid = metadata.uid.str(),
          .machine = fmt::format("{} {}/{}", seen.owner->kind, metadata.namespace_.view(), seen.owner->name)};
}

Token new_token(const Observation& seen) {
  Token token = seen.live->spare;
  token.expires = seen.now + lifetime(seen);
  return token;
}

void keep_token(const Observation& seen, const Token* present, const Token& token, Plan& plan) {
  const api::ObjectKey cluster = kube::key_of(*seen.cluster);
  if (present == nullptr)
    plan.actions.emplace_back(CreateToken{.cluster = cluster, .token = token, .owner = owner_of_token(seen)});
  else if (seen.owner->nodes_missing && ends_soon(seen, token) && !is_off(Safeguard::TokenDeadline))
    plan.actions.emplace_back(
        ExtendToken{.cluster = cluster, .id = token.id, .expires = seen.now + lifetime(seen)});
}

bool data_is_anothers(const Observation& seen) { return seen.live->data && !seen.live->data->ours; }

bool data_has(const Observation& seen, const Token& token) {
  return seen.live->data && seen.live->data->ours && seen.live->data->token_id == token.id;
}

void renew_secret(const Observation& seen, Rendered content, Plan& plan) {
  plan.actions.emplace_back(
      RenewSecret{.key = data_key(seen), .version = seen.live->data->version, .content = std::move(content)});
}

// A machine has one token. Instances of a pool may be booting with an older one, whatever Nodes there are: it
// ends by its expiry.
void remove_others(const Observation& seen, const Token& token, Plan& plan) {
  if (is_pool(seen)) return;
  for (const Token& other : seen.live->tokens) {
    if (other.id != token.id)
      plan.actions.emplace_back(RemoveToken{.cluster = kube::key_of(*seen.cluster), .id = other.id});
  }
}

// With another token, or for the first time.
void store(const Observation& seen, const Token* present, const Token& token, Plan& plan) {
  auto content = rendered(seen, token, plan);
  if (!content) return;
  // No token is made for a Secret that stands in the way; the attempt says so.
  if (data_is_anothers(seen)) return create_secret(seen, std::move(*content), plan);
  keep_token(seen, present, token, plan);
  if (seen.live->data)
    renew_secret(seen, std::move(*content), plan);
  else
    create_secret(seen, std::move(*content), plan);
}

}  // namespace

void join(const Observation& seen, Plan& plan) {
  if (data_is_anothers(seen) && data_created(seen)) return;
  if (comes_too_late(seen)) return report_lost_token(seen, plan);
  const Token* present = present_token(seen);
  const Token token = present != nullptr ? *present : new_token(seen);
  if (data_has(seen, token))
    keep_token(seen, present, token, plan);
  else
    store(seen, present, token, plan);
  if (plan.waiting || data_is_anothers(seen)) return;
  if (seen.live->data && !data_created(seen))
    plan.actions.emplace_back(RestoreStatus{.secret_name = data_key(seen).name});
  remove_others(seen, token, plan);
  plan.recheck = next_look(seen, token);
}

Waiting no_authority(const Observation& seen) {
  return {
      .code = NoteCode::WaitingForClusterCA,
      .message = fmt::format("waiting for Secret {} with the key {}: the control plane provider makes it, or "
                             "you do",
                             kubeconfig::ca_key_of(kube::key_of(*seen.cluster)).describe(),
                             api::secret::kTlsCertificateKey)};
}

Waiting no_workload(const Observation& seen) {
  return {.code = NoteCode::ControlPlaneUnavailable,
          .message = fmt::format("Cluster {} can't be asked for a bootstrap token: {}",
                                 seen.cluster->metadata.name.view(), seen.live->unreachable->message)};
}

}  // namespace capstan::bootstrap::controller
