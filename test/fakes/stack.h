// Stack: where one simulated thread runs. Of all stacks of a simulation exactly one runs, until it hands over
// to another. Stacks are fibers of the one thread that runs them, so that a switch costs no call of the
// kernel and a simulation leaves a process single-threaded; under sanitizers, which look at stacks
// themselves, each is a thread. Used by the baton.
#pragma once

#include <functional>
#include <memory>

namespace capstan::fakes {

class Stack {
 public:
  // Returns who goes on after it.
  using Body = std::move_only_function<Stack&()>;

  Stack();                    // the caller's own
  explicit Stack(Body body);  // begins when somebody hands over to it
  ~Stack();                   // its body must have ended, or never begun
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  // Called by who runs on this one; returns when somebody hands back.
  void hand_over(Stack& next);
  // The body has returned: lets go of what it ran on.
  void release();

  // Tells apart who runs, among stacks and all other threads.
  static const void* current();

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace capstan::fakes
