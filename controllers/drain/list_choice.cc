#include "controllers/drain/list_choice.h"

namespace capstan::controllers::drain {
namespace {

constexpr std::size_t kItemsOfPage = 500;  // as kube/list_each.h asks
constexpr std::size_t kPodsOfNode = 30;
constexpr auto kGathered = std::chrono::milliseconds(200);

}  // namespace

bool asks_for_all(const ListQuestion& question) {
  const std::size_t pages = 1 + question.items / kItemsOfPage;
  return pages < question.nodes;
}

std::size_t usual_pods(std::size_t nodes_of_cluster) { return nodes_of_cluster * kPodsOfNode; }

Nanoseconds gathering_time(bool another_node_just_asked) {
  return another_node_just_asked ? Nanoseconds(kGathered) : Nanoseconds::zero();
}

}  // namespace capstan::controllers::drain
