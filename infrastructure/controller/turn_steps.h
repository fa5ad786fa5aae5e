// Steps that the turns of all controllers of the infrastructure provider take alike: a write to the object,
// its status, its end, and what is read of Secrets. Block as the client does; safe from any thread.
#pragma once

#include <optional>
#include <utility>

#include "infrastructure/controller/secrets.h"
#include "infrastructure/controller/trouble.h"
#include "infrastructure/controller/turn.h"
#include "kube/typed.h"
#include "runtime/finalizers.h"

namespace capstan::infrastructure {

// The main part of `object` becomes that of `wanted`; then `object` is what the server made of it. `cache` is
// the one that brings the write back.
template <kube::WritableKind T>
Result<void> write(const ActContext& with, const runtime::Observed& cache, T& object, const T& wanted,
                   kube::Lock lock) {
  auto written =
      kube::patch_part(with.deps.client, object, wanted, kube::Part::Main, lock, with.context.deadline);
  if (!written) return fail(written.error());
  if (!*written) return {};
  object = std::move(**written);
  with.consistency.wrote(kube::key_of(object), cache, object.metadata.resource_version);
  return {};
}

// True when something was written.
template <kube::WritableKind T>
Result<bool> write_status(const ActContext& with, const runtime::Observed& cache, const T& before,
                          const T& after) {
  const auto written = TRY(kube::patch_status(with.deps.client, before, after, with.context.deadline));
  if (written) with.consistency.wrote(kube::key_of(before), cache, written->metadata.resource_version);
  return written.has_value();
}

template <kube::Kind T>
Result<void> drop_finalizer(const ActContext& with, const runtime::Observed& cache, const T& object,
                            std::string_view finalizer) {
  return runtime::drop_finalizer(with.deps.client, with.consistency, cache, object, finalizer,
                                 with.context.deadline);
}

// Notes in the effects of a turn why a Secret could not be read.
template <typename Effects>
void note_unreadable(api::NoteCode code, const Error& error, Effects& effects) {
  if (auto trouble = trouble_of_secret(code, error))
    effects.trouble = std::move(*trouble);
  else
    effects.error = error;
}

// Nothing when they can't be read; the effects say why.
template <typename Effects>
std::optional<Credentials> credentials_for(const ActContext& with, const api::ObjectMeta& object,
                                           const std::optional<api::CredentialsRef>& ref, Effects& effects) {
  auto read = read_credentials(with.deps.client, object.namespace_, ref, with.context.deadline);
  if (read) return std::move(*read);
  note_unreadable(api::NoteCode::CredentialsUnreadable, read.error(), effects);
  return std::nullopt;
}

}  // namespace capstan::infrastructure
