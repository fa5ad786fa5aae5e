// One watch being served: a cursor over the storage's history. The consumer takes events when called because
// there may be some (on_ready) or when time has come (wake_at). Safe from any thread, but one taker at a
// time.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/request.h"
#include "base/clock.h"

namespace capstan::apiserver {

enum class EventType { Added, Modified, Deleted, Bookmark, Error };
std::string_view to_string(EventType type);  // "ADDED" ...

struct WatchEvent {
  EventType type = EventType::Added;
  ObjectPtr object = {};
  std::string line() const;  // {"type":"ADDED","object":{...}}\n
};

class Watch {
 public:
  virtual ~Watch() = default;

  // Everything that is due at `now`, at most `max` events; call again until it answers nothing. Never blocks
  // but for the storage lock.
  virtual std::vector<WatchEvent> take(SteadyTime now, std::size_t max = 256) = 0;
  // True once nothing more will come: timeoutSeconds passed or an Error event was taken. The consumer closes
  // the stream.
  virtual bool ended() const = 0;
  // When to call take() although nothing happened: the next bookmark, the timeout.
  virtual SteadyTime wake_at() const = 0;
  // `ready` is called from any thread, without locks, possibly once too often, whenever take() may answer
  // something. Set once, right after the watch was made; it is called at once if something is waiting
  // already.
  virtual void on_ready(std::function<void()> ready) = 0;

  virtual const TypePtr& type() const = 0;
  virtual const std::string& version() const = 0;
};

}  // namespace capstan::apiserver
