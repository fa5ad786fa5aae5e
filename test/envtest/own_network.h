// A network of the test's own: fixed ports of a manifest (9440, 8443, 9443) are then free whatever else runs
// on the machine, and nothing outside can reach them. Call it before the process has a second thread.
#pragma once

#include "base/result.h"

namespace capstan::envtest {

// From now on this process and its children see a loopback interface and nothing else. Needs root.
Result<void> enter_own_network();

}  // namespace capstan::envtest
