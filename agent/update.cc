#include "agent/update.h"

#include "api/policy/names.h"

namespace capstan::agent {
namespace {

namespace annotation = api::policy::annotation;
namespace label = api::policy::label;

std::string value_of(const Annotations& marks, std::string_view key) {
  const auto found = marks.find(key);
  return found == marks.end() ? std::string() : found->second;
}

// Why it will never come about, however long the agent waits.
std::string obstacle(const UpdateSeen& seen) {
  const UpdateAsked& asked = seen.asked;
  if (!asked.bootstrap.empty())
    return "the bootstrap configuration is another one, too (" + asked.bootstrap +
           "): it counts at the birth of a machine; replace this one";
  if (asked.version.empty())
    return "the Node has no annotation " + std::string(annotation::kUpdateVersion) + ": which version?";
  const bool has_entry =
      seen.wanted != nullptr && seen.wanted->kubelet && seen.wanted->kubelet->version == asked.version;
  if (!has_entry && seen.newest)
    return "the NodeConfig has no kubelet.binaries of " + asked.version +
           ": add the entry, then take the result off the Node";
  return {};
}

bool is_done(const UpdateSeen& seen) {
  if (seen.wanted == nullptr || !seen.wanted->kubelet || seen.wanted->kubelet->version != seen.asked.version)
    return false;
  const bool runs = seen.running_before.empty() || seen.running != seen.running_before;
  return seen.applied && (runs || seen.running == seen.asked.version);
}

}  // namespace

std::optional<UpdateAsked> update_asked(const Annotations& labels, const Annotations& annotations) {
  if (!labels.contains(label::kReadyForUpdate) || labels.contains(label::kUpdateResult)) return std::nullopt;
  return UpdateAsked{.id = value_of(labels, label::kReadyForUpdate),
                     .version = value_of(annotations, annotation::kUpdateVersion),
                     .bootstrap = value_of(annotations, annotation::kUpdateBootstrap)};
}

std::optional<UpdateResult> result_of(const UpdateSeen& seen) {
  if (std::string why = obstacle(seen); !why.empty()) return UpdateResult{.failed_because = std::move(why)};
  if (is_done(seen)) return UpdateResult{};
  return std::nullopt;
}

void add_result(const UpdateResult& result, NodeMarks& marks) {
  const bool successful = result.failed_because.empty();
  marks.labels[std::string(label::kUpdateResult)] = successful ? "successful" : "failed";
  if (!successful) marks.annotations[std::string(annotation::kUpdateFailedReason)] = result.failed_because;
}

}  // namespace capstan::agent
