// Bytes to JSON events, from chunks cut anywhere; strings and numbers arrive whole. Invalid UTF-8 and
// malformed text are errors that name the byte. Internal to api/schema. One thread at a time.
#pragma once

#include <boost/json/fwd.hpp>
#include <memory>
#include <string_view>

#include "api/schema/json_events.h"
#include "base/result.h"

namespace capstan::api::detail {

class JsonReader {
 public:
  explicit JsonReader(JsonEvents& events);
  ~JsonReader();
  Result<void> feed(std::string_view chunk);
  Result<void> finish();
  // Ready for another document.
  void reset();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The same events from a document that is parsed already.
void replay(const boost::json::value& document, JsonEvents& events);

}  // namespace capstan::api::detail
