#include "controllers/machineset/own_annotations.h"

namespace capstan::controllers::machineset {

// Without a policy that asks for a ceiling nothing is noted anew; what was noted is kept up to date, unless
// the caches may be behind what was released.
safety::Released to_be_noted(const Observation& seen) {
  safety::Released released = seen.fresh ? seen.census.released : safety::released_by(seen.stored->metadata);
  if (!seen.census.ceiling.is_on) return released;
  for (const auto& stray : seen.strays) {
    if (!stray->metadata.deleting()) released.add(stray->metadata.name.view(), seen.now);
  }
  return released;
}

std::optional<WriteAnnotations> annotations_to_write(const Observation& seen) {
  api::ObjectMeta after = seen.stored->metadata;
  safety::note_released(to_be_noted(seen), after);
  safety::note_thaw(after, seen.now);
  const auto& before = seen.stored->metadata.annotations;
  if (after.annotations == before) return std::nullopt;
  return WriteAnnotations{.from = before, .to = after.annotations};
}

}  // namespace capstan::controllers::machineset
