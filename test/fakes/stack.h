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
  // Returns the stack that goes on after it.
  using Body = std::move_only_function<Stack&()>;

  Stack();                    // the caller's own
  explicit Stack(Body body);  // begins when it is handed over to
  ~Stack();                   // its body must have ended, or never begun
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;

  // Called by the code that runs on this one; returns when it is handed back to.
  void hand_over(Stack& next);
  // The body has returned: lets go of what it ran on.
  void release();

  // Identifies the running one among stacks and all other threads.
  static const void* current();

 private:
  struct Inner;
  std::unique_ptr<Inner> inner_;
};

}  // namespace capstan::fakes
