// One simulated manager process: stores, informers and the toy controller, wired as cmd/manager wires the
// real ones. Made and run by the head thread of its process; a crash unwinds it.
#pragma once

#include "base/randomness.h"
#include "kube/watch_loop.h"
#include "runtime/controller.h"
#include "runtime/informer.h"
#include "runtime/triggers.h"
#include "test/simulation/toy_controller.h"

namespace capstan::simulation {

struct ToyManagerDeps {
  const Clock& clock;
  Threads& threads;
  kube::Client& client;
  Log log = {};
  std::uint64_t seed = 0;
  Mutant mutant = Mutant::None;
};

class ToyManager {
 public:
  explicit ToyManager(const ToyManagerDeps& deps);

  // Informers, synced, then the controller, until stopped.
  void run(const std::stop_token& stop);

 private:
  static runtime::IndexValues owner_uids(const Toy& toy);
  runtime::ControllerOptions options() const;

  const ToyManagerDeps deps_;
  SeededRandomness randomness_;
  RandomNames names_;
  kube::WatchLoop loop_;
  runtime::Store<ToySet> sets_{"ToySet"};
  runtime::Store<Toy> toys_{"Toy"};
  ToyDeps toy_deps_;
  ToyReconciler reconciler_;
  runtime::Controller controller_;
  runtime::Informer<ToySet> set_informer_;
  runtime::Informer<Toy> toy_informer_;
};

}  // namespace capstan::simulation
