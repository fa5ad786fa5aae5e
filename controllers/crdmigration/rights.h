// Why a write was answered with 403: this program may not write that kind at all, or an admission webhook or
// policy refuses that one object. API servers answer alike to both; they are asked which it is, once for each
// way of writing in a turn. For act.cc.
#pragma once

#include <map>
#include <string>

#include "kube/client.h"

namespace capstan::controllers::crdmigration {

class Rights {
 public:
  // All of it lives longer.
  Rights(kube::Client& client, const kube::Resource& resource, const Deadline& deadline)
      : client_(client), resource_(resource), deadline_(deadline) {}

  // An account that may not even ask lacks it. Without an answer the refusal counts for the one object.
  bool lacks_patch(const std::string& subresource);

 private:
  bool ask(const std::string& subresource) const;

  kube::Client& client_;
  const kube::Resource& resource_;
  const Deadline deadline_;
  std::map<std::string, bool> lacking_ = {};  // by subresource
};

}  // namespace capstan::controllers::crdmigration
