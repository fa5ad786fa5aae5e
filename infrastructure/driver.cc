#include "infrastructure/driver.h"

namespace capstan::infrastructure {

std::string_view to_string(VmState state) {
  switch (state) {
    case VmState::Pending: return "Pending";
    case VmState::Running: return "Running";
    case VmState::Stopping: return "Stopping";
    case VmState::Stopped: return "Stopped";
  }
  return "Pending";
}

}  // namespace capstan::infrastructure
