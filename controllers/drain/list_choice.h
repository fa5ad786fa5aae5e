// How what is on several Nodes of a cluster is asked for, and whether it is worth waiting for more of them.
// Pure.
#pragma once

#include <cstddef>

#include "base/instant.h"

namespace capstan::controllers::drain {

struct ListQuestion {
  std::size_t nodes = 0;  // at least one
  std::size_t items = 0;  // in the whole cluster, as far as is known
};
// One list of everything, page by page, where it takes fewer requests than a list for each Node.
bool asks_for_all(const ListQuestion& question);

// Used until a list of all Pods of the cluster has been counted.
std::size_t usual_pods(std::size_t nodes_of_cluster);

// How long a list waits for other Nodes. One that goes alone waits for nothing; of Nodes that go together the
// first does not either.
Nanoseconds gathering_time(bool another_node_just_asked);
// So long ago is "just".
inline constexpr Nanoseconds kTogether = std::chrono::seconds(1);

}  // namespace capstan::controllers::drain
