// The parts of a round that are about an update in place.
#include "agent/agent.h"
#include "base/try.h"

namespace capstan::agent {

// The version is remembered before anything is changed: it decides which kubelet the machine has from now on.
Result<void> Agent::begin_update() {
  const auto asked = update_asked(node_->labels, node_->annotations);
  if (!asked || asked->version.empty() || !asked->bootstrap.empty() || asked->id == state_.update) return {};
  State next = state_;
  next.version = asked->version;
  next.update = asked->id;
  next.running_before = node_->kubelet_version;
  TRY(save(next));
  TRY(look_at_config());
  if (!TRY(has_wanted_kubelet())) return {};
  next.running_before.clear();
  return save(next);
}

Result<bool> Agent::has_wanted_kubelet() const {
  if (!wanted_ || !wanted_->kubelet || wanted_->kubelet->version != state_.version) return false;
  const auto there = TRY(root().facts(wanted_->kubelet->path));
  return there && there->checksum == wanted_->kubelet->checksum;
}

std::optional<UpdateResult> Agent::update_result() {
  const auto asked = update_asked(node_->labels, node_->annotations);
  if (!asked) return std::nullopt;
  auto result = result_of({.asked = *asked,
                           .wanted = wanted_ ? &*wanted_ : nullptr,
                           .newest = wanted_ && offer_ && offer_->checksum == wanted_->checksum,
                           .applied = whole_ && wanted_ && state_.applied == wanted_->checksum,
                           .running = node_->kubelet_version,
                           .running_before = state_.running_before});
  round_.waiting = round_.waiting || !result;
  return result;
}

}  // namespace capstan::agent
