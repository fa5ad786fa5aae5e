#include "bootstrap/nodeconfig/waves.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <tuple>

#include "api/bootstrap/node_config_release.h"

namespace capstan::bootstrap::nodeconfig {
namespace {

using api::bootstrap::is_released;
using api::bootstrap::place_in_release;
using api::bootstrap::release_text;

constexpr std::uint32_t kEveryNode = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kLongestError = 300;

// The second wave has two Nodes, the third four: with each there are one more than twice as many as before.
std::size_t after_next_wave(std::size_t released) { return 2 * released + 1; }

void sort_by_place(std::vector<NodeFact>& nodes, const std::string& checksum) {
  std::ranges::sort(nodes, {}, [&](const NodeFact& node) {
    return std::tuple(place_in_release(checksum, node.name), node.name);
  });
}

bool turned_not_ready(const ContentChange& change, const NodeFact& node, Time now) {
  return !node.ready && node.ready_changed.is_set() && change.since.is_set() &&
         node.ready_changed >= change.since && now >= node.ready_changed + kReadyAgainWithin;
}

bool has_failed(const ContentChange& change, const NodeFact& node, Time now) {
  return node.applied == change.checksum && (!node.error.empty() || turned_not_ready(change, node, now));
}

bool is_up_to_date(const ContentChange& change, const NodeFact& node) {
  return node.applied == change.checksum && node.error.empty() && node.ready;
}

// Not in the middle of a character.
std::string shortened(std::string_view text) {
  if (text.size() <= kLongestError) return std::string(text);
  std::size_t end = kLongestError;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string error_text(const NodeFact& node) {
  if (!node.error.empty()) return fmt::format("{}: {}", node.name, shortened(node.error));
  return fmt::format("{}: NotReady since {}, after it applied the change", node.name,
                     node.ready_changed.to_string());
}

// What the Nodes say, in the order in which they are released.
class Tally {
 public:
  Tally(const ContentChange& change, Time now) : change_(change), now_(now) {}

  void add(const NodeFact& node) {
    const bool is_out = is_released(change_.released, change_.checksum, node.name);
    ++rollout.nodes;
    if (is_out) ++released;
    if (is_up_to_date(change_, node)) {
      ++rollout.up_to_date;
    } else if (has_failed(change_, node, now_)) {
      ++rollout.failed;
      if (rollout.errors.size() < kErrorsShown) rollout.errors.push_back(error_text(node));
    } else if (is_out) {
      rollout.pending.push_back(node.name);
    }
  }

  Rollout rollout = {};
  std::size_t released = 0;

 private:
  const ContentChange& change_;
  const Time now_;
};

// What the annotation says next: all Nodes of now, and those that join later on, when there is none to wait
// for.
std::string next_release(const ContentChange& change, const std::vector<NodeFact>& nodes,
                         const Tally& tally) {
  if (tally.rollout.complete() || tally.released == nodes.size())
    return release_text(change.checksum, kEveryNode);
  const std::size_t count = std::min(after_next_wave(tally.released), nodes.size());
  return release_text(change.checksum, place_in_release(change.checksum, nodes[count - 1].name));
}

}  // namespace

Rollout roll_out(const ContentChange& change, std::vector<NodeFact> nodes, Time now) {
  sort_by_place(nodes, change.checksum);
  Tally tally(change, now);
  for (const NodeFact& node : nodes) tally.add(node);
  Rollout& rollout = tally.rollout;
  rollout.stopped = !rollout.complete() &&
                    (change.was_stopped || rollout.failed >= static_cast<std::size_t>(change.max_failed));
  if (rollout.stopped || !rollout.pending.empty()) return rollout;
  std::string release = next_release(change, nodes, tally);
  if (release != change.released) rollout.release = std::move(release);
  return rollout;
}

}  // namespace capstan::bootstrap::nodeconfig
