#include "infrastructure/controller/pool/pool_size.h"

#include <fmt/core.h>

#include <charconv>
#include <utility>

#include "api/driver/names.h"
#include "api/names.h"

namespace capstan::infrastructure::pool {
namespace {

bool is_autoscaled(const api::MachinePool& owner);
std::int64_t autoscaled_size(const Observation& seen);
runtime::Readiness refusal(const api::MachinePool& owner, std::int64_t replicas);

}  // namespace

// A number that can't be meant changes nothing: what is there stays, what got lost is not replaced.
PoolSize size_of(const Observation& seen) {
  const api::MachinePool& owner = *seen.owner;
  const bool autoscaled = is_autoscaled(owner);
  const std::int64_t replicas = autoscaled ? autoscaled_size(seen) : owner.spec.replicas.value_or(1);
  if (replicas < 0 || std::cmp_greater(replicas, kMostInstances))
    return {.refused = refusal(owner, replicas)};
  PoolSize size{.wanted = static_cast<std::size_t>(replicas)};
  const auto number = static_cast<std::int32_t>(replicas);
  if (autoscaled && owner.spec.replicas != number)
    size.set_replicas = SetReplicas{.owner = seen.owner, .from = owner.spec.replicas, .to = number};
  return size;
}

namespace {

bool is_autoscaled(const api::MachinePool& owner) {
  const auto* by = owner.metadata.annotations.find(api::annotation::kReplicasManagedBy);
  return by != nullptr && *by != "false";
}

// What the autoscaler says; before it says anything, the size there is.
std::int64_t autoscaled_size(const Observation& seen) {
  const std::string_view text =
      seen.object->metadata.annotations.value_or_empty(api::driver::annotation::kAutoscaledTo);
  std::int64_t size = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
  if (error == std::errc() && end == text.data() + text.size()) return size;
  const bool began = seen.object->status.initialization.provisioned.value_or(false);
  const auto& present = seen.object->status.replicas;
  return began && present ? *present : seen.owner->spec.replicas.value_or(1);
}

runtime::Readiness refusal(const api::MachinePool& owner, std::int64_t replicas) {
  return {.obstacle = api::NoteCode::SizeInvalid,
          .message = fmt::format(
              "spec.replicas of MachinePool {} is {}: a pool has between 0 and {} instances; nothing is made "
              "or removed until it asks for such a number",
              owner.metadata.name.view(), replicas, kMostInstances)};
}

}  // namespace
}  // namespace capstan::infrastructure::pool
