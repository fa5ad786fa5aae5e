// For decorators of a client that treat every verb alike: those that answer nothing, as if they answered
// null.
#pragma once

#include <boost/json.hpp>
#include <utility>

#include "base/result.h"

namespace capstan::fakes {

inline Result<boost::json::value> as_answer(Result<void> done) {
  if (!done) return fail(std::move(done).error());
  return boost::json::value();
}

inline Result<void> without_answer(Result<boost::json::value> answer) {
  if (!answer) return fail(std::move(answer).error());
  return {};
}

}  // namespace capstan::fakes
