// Carries the events of all watches of one server to their connections: one thread that sleeps until a watch
// has something or its time has come. A watch whose peer is gone or too slow is dropped. open() may be called
// from any thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "apiserver/store/watch.h"
#include "base/guarded.h"
#include "base/threads.h"
#include "net/http_server.h"

namespace capstan::apiserver {

class WatchPump {
 public:
  // How one event looks on the wire: a line with its newline.
  using Render = std::function<std::string(const WatchEvent&)>;

  WatchPump(const Clock& clock, Threads& threads);
  ~WatchPump();  // ends every watch
  WatchPump(const WatchPump&) = delete;
  WatchPump& operator=(const WatchPump&) = delete;

  void open(std::unique_ptr<Watch> watch, std::shared_ptr<net::ResponseStream> stream, Render render);
  std::size_t open_watches() const;

 private:
  struct Served {
    std::unique_ptr<Watch> watch = {};
    std::shared_ptr<net::ResponseStream> stream = {};
    Render render = {};
  };
  // Shared with callbacks that may outlive the pump.
  struct Desk {
    Signal signal{"a watch has something"};
    Guarded<std::set<std::uint64_t>> ready = {};
    void call(std::uint64_t id);
  };
  struct Table {
    std::map<std::uint64_t, std::shared_ptr<Served>> watches = {};
    std::uint64_t last_id = 0;
  };

  void run(const std::stop_token& stop);
  // Sends what is due; false when the watch is over.
  bool serve(Served& served) const;
  SteadyTime serve_due(const std::set<std::uint64_t>& ready);

  const Clock& clock_;
  Threads& threads_;
  const std::shared_ptr<Desk> desk_ = std::make_shared<Desk>();
  Guarded<Table> table_;
  std::unique_ptr<Thread> thread_;  // last: stops before the rest goes
};

}  // namespace capstan::apiserver
