#include "controllers/drain/pace.h"

#include <algorithm>

namespace capstan::controllers::drain {
namespace {

// Each pause is a third of what has passed: the next look comes after a third more.
constexpr int kShare = 3;

}  // namespace

Seconds pause_after(Seconds lasted) { return std::clamp(lasted / kShare, kShortestPause, kLongestPause); }

}  // namespace capstan::controllers::drain
