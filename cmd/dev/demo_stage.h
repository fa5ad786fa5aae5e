// What every story of `capstan-dev demo` stands on: a whole fleet in this process, a picture of it, and the
// screen that shows it. Each step of a story has a deadline. One thread.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "cmd/dev/fleet_watch.h"
#include "cmd/dev/screen.h"
#include "cmd/dev/stack.h"

namespace capstan::dev {

struct DemoOptions {
  Nanoseconds step_timeout = std::chrono::minutes(1);
  bool json = false;
  bool verbose = false;
  std::string story = "rollout";
};

inline const kube::ObjectKey kDemoCluster{.namespace_ = "default", .name = "demo"};
inline const kube::ObjectKey kDemoWorkers{.namespace_ = "default", .name = "demo-workers"};

class DemoStage {
 public:
  DemoStage(const DemoOptions& options, const manager::Seams& seams, std::stop_token stop, const Log& log);

  Result<void> start(const infrastructure::sim::Script& cloud);
  // Until `wanted` holds; what changes meanwhile is shown.
  Result<void> follow(const std::function<bool(const Fleet&)>& wanted, const std::string& what);
  Result<void> await(const kube::ObjectKey& machine, const std::function<bool(const api::Machine&)>& wanted,
                     const std::string& what);
  // Asks again and again; what changes meanwhile is shown.
  Result<void> poll(const std::function<Result<bool>()>& reached, const std::string& what);
  // An empty line and a heading.
  void say_step(const std::string& line);
  void say(const std::string& line) { screen_.say(line); }

  Deadline step() const { return Deadline::in(seams_.clock, options_.step_timeout, stop_); }
  kube::Client& client() { return stack_->client(); }
  Result<std::shared_ptr<kube::Client>> workload_client();
  Stack& stack() { return *stack_; }

 private:
  Result<void> ended(bool reached, const std::string& what) const;

  const DemoOptions& options_;
  const manager::Seams& seams_;
  const std::stop_token stop_;
  const Log log_;
  Screen screen_;
  std::unique_ptr<Stack> stack_;
  std::unique_ptr<FleetWatch> watch_;  // its streams end before the stack's clients
};

}  // namespace capstan::dev
