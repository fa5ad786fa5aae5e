#include "controllers/drain/drain_message.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace capstan::controllers::drain {
namespace {

using Names = std::span<const std::string>;

constexpr std::size_t kNamesShown = 3;
constexpr std::size_t kFailuresShown = 5;

void add_pods(std::string& text, Names pods, std::string_view what);
void add_failures(std::string& text, const std::map<std::string, std::vector<std::string>>& failed);
void add_later(std::string& text, Names pods, std::string_view what);

}  // namespace

std::string drain_message(const DrainProgress& progress) {
  std::string text = fmt::format("Drain not completed yet (started at {}):", progress.started.to_string());
  add_pods(text, progress.terminating, "deletionTimestamp set, but still not removed from the Node");
  add_pods(text, progress.overdue,
           "deletionTimestamp set, but still not removed from the Node although the grace period is over");
  add_failures(text, progress.failed);
  add_pods(text, progress.wait_completed, "waiting for completion");
  add_later(text, progress.evict_later, "the following Pods will be evicted");
  add_later(text, progress.wait_later, "waiting for the following Pods to complete without eviction");
  add_pods(text, progress.in_turn,
           "evicted one after the other because of volumes, waiting for " + progress.next_waits_for);
  for (const auto& line : progress.contradictions) text += "\n* " + line;
  for (const auto& line : progress.hopeless) text += "\n* " + line;
  return text;
}

std::string some_of(Names names, std::size_t shown) {
  const Names first = names.first(std::min(shown, names.size()));
  std::string text = fmt::format("{}", fmt::join(first, ", "));
  if (first.size() < names.size()) text += fmt::format(", ... ({} more)", names.size() - first.size());
  return text;
}

namespace {

void add_pods(std::string& text, Names pods, std::string_view what) {
  if (pods.empty()) return;
  text += fmt::format("\n* {} {}: {}", pods.size() == 1 ? "Pod" : "Pods", some_of(pods, kNamesShown), what);
}

std::string worded(std::string_view failure) {
  constexpr std::string_view kCannot = "Cannot evict pod ";
  if (!failure.starts_with(kCannot)) return fmt::format("failed to evict Pod, {}", failure);
  return fmt::format("cannot evict pod {}", failure.substr(kCannot.size()));
}

void add_failures(std::string& text, const std::map<std::string, std::vector<std::string>>& failed) {
  std::size_t shown = 0;
  std::size_t others = 0;
  for (const auto& [failure, pods] : failed) {
    if (shown < kFailuresShown) {
      add_pods(text, pods, worded(failure));
      ++shown;
    } else {
      others += pods.size();
    }
  }
  if (others > 0) text += fmt::format("\n* {} {} with other issues", others, others == 1 ? "Pod" : "Pods");
}

void add_later(std::string& text, Names pods, std::string_view what) {
  if (pods.empty()) return;
  text += fmt::format("\nAfter above Pods have been removed from the Node, {}: {}", what,
                      some_of(pods, kNamesShown));
}

}  // namespace
}  // namespace capstan::controllers::drain
