// TRY(expression): the value of a Result, or return its error from this function. Propagation that reads like
// prose.
#pragma once

#include "base/result.h"  // IWYU pragma: export

namespace capstan::detail {

template <typename T>
T take(Result<T>&& result) {
  return std::move(*result);
}
inline void take(Result<void>&&) {}

}  // namespace capstan::detail

#define TRY(expression)                                                                        \
  __extension__({                                                                              \
    auto capstan_try_result = (expression);                                                    \
    if (!capstan_try_result) return ::capstan::Failure(std::move(capstan_try_result).error()); \
    ::capstan::detail::take(std::move(capstan_try_result));                                    \
  })
