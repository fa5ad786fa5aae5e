// Whether a LabelSelector selects labels, as Selector::from() and matches() would say, without compiling it:
// for selectors that are asked about one object after the other, time and again. Pure.
#pragma once

#include "api/meta/label_selector.h"

namespace capstan::api {

// False also of a selector that can't be understood.
bool selects(const LabelSelector& selector, const TextMap& labels);

}  // namespace capstan::api
