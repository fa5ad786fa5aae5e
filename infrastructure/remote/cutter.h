// Cuts the connections of calls whose time is over, from a thread of its own: the library's timeouts count
// for each read alone, so that a peer that sends a byte now and then would never meet one. Safe from any
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stop_token>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "base/threads.h"

namespace capstan::infrastructure::remote {

// A second descriptor of a connection's socket: to cut it while the library that owns the first one reads. A
// number of our own can't come to mean another socket in between.
class Cuttable {
 public:
  Cuttable() = default;
  ~Cuttable();
  Cuttable(const Cuttable&) = delete;
  Cuttable& operator=(const Cuttable&) = delete;

  void watch(int socket);  // instead of the one before
  void cut();

 private:
  Guarded<int> copy_{-1};
};

class Cutter {
 public:
  Cutter(Threads& threads, const Clock& clock);
  ~Cutter();
  Cutter(const Cutter&) = delete;
  Cutter& operator=(const Cutter&) = delete;

  // From its deadline on, or from a stop of its caller, the connection of a call is cut again and again until
  // the call is over.
  class Call {
   public:
    Call(Cutter& cutter, std::shared_ptr<Cuttable> connection, const Deadline& deadline);
    ~Call();
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    struct Wake {
      Signal& signal;
      void operator()() const { signal.notify(); }
    };

    Cutter& cutter_;
    std::uint64_t number_;
    std::stop_callback<Wake> on_stop_;
  };

 private:
  struct Running {
    std::shared_ptr<Cuttable> connection = {};
    Deadline deadline = {};
  };
  struct State {
    std::map<std::uint64_t, Running> calls = {};
    std::uint64_t last_number = 0;
    SteadyTime next_look = SteadyTime::max();
  };

  // A call that ends in time costs the thread nothing: it is woken for one alone whose time is over before
  // the next look.
  std::uint64_t begin(std::shared_ptr<Cuttable> connection, const Deadline& deadline);
  void end(std::uint64_t number);
  void run(const std::stop_token& stop);
  struct Look {
    std::vector<std::shared_ptr<Cuttable>> overdue = {};
    SteadyTime next = SteadyTime::max();
  };
  Look look();

  Threads& threads_;
  const Clock& clock_;
  Signal changed_{"driver calls"};
  Guarded<State> state_;
  std::unique_ptr<Thread> thread_;
};

}  // namespace capstan::infrastructure::remote
