// What kube-controller-manager does elsewhere, as far as this server needs it: one round over what has
// changed since the last. One thread at a time.
#pragma once

#include <map>
#include <string>

#include "apiserver/controllers/garbage.h"
#include "apiserver/core.h"

namespace capstan::apiserver {

class Controllers {
 public:
  // True when it wrote something.
  bool run(Core& core);

 private:
  bool read_changes(Core& core);
  bool read_collection(const Core& core, const std::string& collection);
  void read_everything(const Core& core);

  Garbage garbage_ = {};
  std::map<std::string, std::uint64_t> read_up_to_ = {};
  std::uint64_t epoch_ = 0;
  std::uint64_t seen_version_ = 0;
  bool budgets_touched_ = true;
};

}  // namespace capstan::apiserver
