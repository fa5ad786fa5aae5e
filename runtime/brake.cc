#include "runtime/brake.h"

namespace capstan::runtime {

std::string_view to_string(Intent intent) {
  switch (intent) {
    case Intent::CreateMachine: return "create machine";
    case Intent::ScaleDown: return "scale down";
    case Intent::Remediate: return "remediate";
    case Intent::SweepOrphans: return "sweep orphans";
  }
  return "create machine";
}

}  // namespace capstan::runtime
