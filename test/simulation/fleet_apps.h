// What runs on the Nodes of a simulated fleet: one app of a few Pods under a disruption budget, with the
// scheduler, the kubelets and the controllers that it needs. Pods go to Nodes that take some, and come back
// elsewhere when they are evicted; the control plane's Node always takes them. Threads of the world; a step
// is never interrupted.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/api.h"
#include "test/fakes/baton.h"

namespace capstan::simulation {

struct PodFacts {
  std::string name = {};
  std::string node = {};
  bool going = false;
  bool ready = false;

  bool healthy() const { return ready && !going; }
};
std::vector<PodFacts> pods_of(const apiserver::Api& workload);

class FleetApps {
 public:
  struct Deps {
    fakes::Baton& baton;
    std::function<apiserver::Api*()> workload = {};  // null: there is none
    std::function<void(std::string_view)> tell = {};
    std::function<void(std::string)> broke = {};
    std::function<void()> stepped = {};
  };
  explicit FleetApps(Deps deps);

  void run(const std::stop_token& stop);

  int needed() const { return says_; }  // healthy Pods, says the budget
  // The budget allows no eviction before then.
  void close_budget(SteadyTime until) { closed_until_ = until; }

 private:
  void step(apiserver::Api& api);

  const Deps deps_;
  int wanted_ = 0;
  int needed_ = 0;  // as a rule
  int says_ = 0;
  SteadyTime closed_until_ = {};
  int made_ = 0;
  bool settled_ = false;
};

}  // namespace capstan::simulation
