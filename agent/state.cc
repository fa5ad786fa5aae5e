#include "agent/state.h"

#include <boost/json.hpp>

namespace capstan::agent {
namespace {

namespace json = boost::json;

template <typename T>
void take(const json::object& from, std::string_view name, T& into) {
  if (const json::value* found = from.if_contains(name)) into = json::value_to<T>(*found);
}

void take_delay(const json::object& from, std::optional<Delay>& delay) {
  const json::value* found = from.if_contains("delay");
  if (found == nullptr) return;
  take(found->as_object(), "checksum", delay.emplace().checksum);
  take(found->as_object(), "until", delay->until);
}

State taken(const json::object& from) {
  State state;
  take(from, "applied", state.applied);
  take(from, "files", state.files);
  take(from, "units", state.units);
  take(from, "restarts", state.restarts);
  take(from, "asked", state.asked);
  take(from, "reload", state.reload);
  take(from, "certificateReceived", state.certificate_received);
  take(from, "version", state.version);
  take(from, "update", state.update);
  take(from, "runningBefore", state.running_before);
  take_delay(from, state.delay);
  return state;
}

}  // namespace

std::string render(const State& state) {
  json::object text = {{"applied", state.applied},
                       {"files", json::value_from(state.files)},
                       {"units", json::value_from(state.units)},
                       {"restarts", json::value_from(state.restarts)},
                       {"asked", json::value_from(state.asked)},
                       {"reload", state.reload},
                       {"version", state.version},
                       {"update", state.update},
                       {"runningBefore", state.running_before},
                       {"certificateReceived", state.certificate_received}};
  if (state.delay) text["delay"] = {{"checksum", state.delay->checksum}, {"until", state.delay->until}};
  return json::serialize(text);
}

// The file is the agent's own: what can't be read was written by other hands.
Result<State> parse_state(std::string_view text) {
  try {
    return taken(json::parse(text).as_object());
  } catch (const std::exception& error) {
    return fail(Code::Invalid, std::string("no state of an agent: ") + error.what());
  }
}

}  // namespace capstan::agent
