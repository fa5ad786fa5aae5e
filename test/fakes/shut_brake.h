// ShutBrake: always shut. The always open one is runtime::OpenBrake.
#pragma once

#include "runtime/brake.h"

namespace capstan::fakes {

class ShutBrake final : public runtime::Brake {
 public:
  runtime::Verdict ask(runtime::Intent, const runtime::Asker&) const override {
    return {.open = false, .why = "the brake is shut"};
  }
};

}  // namespace capstan::fakes
