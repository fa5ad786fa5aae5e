// Notices that one of the two webhook configurations of our package has changed, by a watch of each by name;
// the CRDs are watched by the controllers' cache already. Used by keeper.h. The callback comes from the watch
// loop's threads and must not block.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/log.h"
#include "kube/client.h"
#include "kube/watch_loop.h"

namespace capstan::webhooks::certificates {

class Changes {
 public:
  // The loop and the client live longer.
  Changes(kube::WatchLoop& loop, kube::Client& client, Log log, std::function<void()> changed);
  ~Changes();
  Changes(const Changes&) = delete;
  Changes& operator=(const Changes&) = delete;

  void start();
  void stop();

 private:
  class Handler;
  class Watch;
  std::unique_ptr<Handler> handler_;
  std::vector<std::unique_ptr<Watch>> watches_;
};

}  // namespace capstan::webhooks::certificates
