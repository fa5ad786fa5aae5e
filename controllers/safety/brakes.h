// All brakes as one: shut when any of them is, in the words of the first that is. Safe from any thread;
// brakes are added before the first is asked, and live longer.
#pragma once

#include <functional>
#include <vector>

#include "runtime/brake.h"

namespace capstan::controllers::safety {

class Brakes final : public runtime::Brake {
 public:
  explicit Brakes(const runtime::Brake& first) : brakes_{first} {}
  void add(const runtime::Brake& brake) { brakes_.emplace_back(brake); }

  runtime::Verdict ask(runtime::Intent intent, const runtime::Asker& asker) const override {
    for (const runtime::Brake& brake : brakes_) {
      if (runtime::Verdict verdict = brake.ask(intent, asker); !verdict.open) return verdict;
    }
    return {};
  }

 private:
  std::vector<std::reference_wrapper<const runtime::Brake>> brakes_;
};

}  // namespace capstan::controllers::safety
