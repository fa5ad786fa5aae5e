// Says once which rule a role lacks: at 3 a.m. a refused request alone does not tell what to do about it.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>

#include "base/guarded.h"
#include "base/log.h"
#include "kube/remote_client.h"

namespace capstan::program {

// For on_request of a client of the management cluster; from any thread. Each rule is named once in the life
// of the process.
class MissingRights {
 public:
  explicit MissingRights(Log log) : log_(std::move(log)), named_(std::make_shared<Rules>()) {}
  void operator()(const kube::RequestRecord& request) const;

 private:
  using Rules = Guarded<std::set<std::string>>;
  Log log_;
  std::shared_ptr<Rules> named_;
};

}  // namespace capstan::program
