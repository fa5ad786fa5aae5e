#include "apiserver/http/watch_pump.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace capstan::apiserver {

void WatchPump::Desk::call(std::uint64_t id) {
  ready.with([&](auto& ids) { ids.insert(id); });
  signal.notify();
}

WatchPump::WatchPump(const Clock& clock, Threads& threads) : clock_(clock), threads_(threads) {
  thread_ = threads_.spawn("watch pump", [this](const std::stop_token& stop) { run(stop); });
}

WatchPump::~WatchPump() {
  thread_->request_stop();
  thread_->join();
  table_.with([](Table& table) {
    for (auto& [id, served] : table.watches) served->stream->end();
  });
}

void WatchPump::open(std::unique_ptr<Watch> watch, std::shared_ptr<net::ResponseStream> stream,
                     Render render) {
  auto served = std::make_shared<Served>(Served{std::move(watch), std::move(stream), std::move(render)});
  const auto id = table_.with([&](Table& table) {
    table.watches.emplace(++table.last_id, served);
    return table.last_id;
  });
  served->stream->on_closed([desk = desk_, id] { desk->call(id); });
  served->watch->on_ready([desk = desk_, id] { desk->call(id); });
  desk_->call(id);  // its first deadline must be known, too
}

std::size_t WatchPump::open_watches() const {
  return table_.with([](const Table& table) { return table.watches.size(); });
}

void WatchPump::run(const std::stop_token& stop) {
  SteadyTime next = SteadyTime::max();
  while (!stop.stop_requested()) {
    const std::uint64_t seen = desk_->signal.count();
    const auto ready = desk_->ready.with([](auto& ids) { return std::exchange(ids, {}); });
    if (ready.empty() && clock_.steady_now() < next) {
      threads_.wait(desk_->signal, seen, {.at = next, .stop = stop});
      continue;
    }
    next = serve_due(ready);
  }
}

// Serves the called ones and those whose time has come; when to look again if no watch is called.
SteadyTime WatchPump::serve_due(const std::set<std::uint64_t>& ready) {
  const auto all = table_.with([](const Table& table) { return table.watches; });
  std::vector<std::uint64_t> over;
  SteadyTime next = SteadyTime::max();
  for (const auto& [id, served] : all) {
    const bool due = ready.contains(id) || served->watch->wake_at() <= clock_.steady_now();
    if (due && !serve(*served))
      over.push_back(id);
    else
      next = std::min(next, served->watch->wake_at());
  }
  table_.with([&](Table& table) {
    for (const auto id : over) table.watches.erase(id);
  });
  return next;
}

bool WatchPump::serve(Served& served) const {
  for (;;) {
    const auto events = served.watch->take(clock_.steady_now());
    std::string bytes;
    for (const WatchEvent& event : events) bytes += served.render(event);
    if (!served.stream->write(bytes)) return false;
    if (served.watch->ended()) {
      served.stream->end();
      return false;
    }
    if (events.empty()) return true;
  }
}

}  // namespace capstan::apiserver
