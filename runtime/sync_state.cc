#include "runtime/sync_state.h"

namespace capstan::runtime {

std::optional<std::string> why_not_synced(const InformerState& informer) {
  if (informer.cache().synced()) return {};
  const auto progress = informer.progress();
  return progress.trouble ? "not synced: " + progress.trouble->describe() : "not synced yet";
}

std::optional<std::string> not_synced(const std::vector<InformerState*>& informers) {
  for (const auto* informer : informers)
    if (const auto why = why_not_synced(*informer))
      return std::string(informer->cache().kind()) + " is " + *why;
  return {};
}

}  // namespace capstan::runtime
