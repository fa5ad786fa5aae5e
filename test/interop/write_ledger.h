// What the writes of an audit log changed, field by field, as docs/takeover.md names it: "patch
// machines/status conditions.Ready". It knows each object from the answers to the writes before, so it reads
// the log of a server from the beginning (Audit::Answers). Values; one thread.
#pragma once

#include <map>
#include <set>
#include <string>

#include "test/envtest/audit.h"

namespace capstan::envtest {

class WriteLedger {
 public:
  // The rows of this write: one a field, one without a field where there is none, and "nothing" as the field
  // where the object stayed as it was. Remembers the object.
  std::set<std::string> rows_of(const AuditEntry& write);

 private:
  using Fields = std::map<std::string, std::string>;  // name to value
  struct Parts {
    Fields status = {};
    Fields rest = {};
  };
  std::map<std::string, Parts> known_;  // by kind, namespace and name
};

// A write that the server did: no dry run, nothing refused, and no Event, Lease or access review.
bool is_done_write(const AuditEntry& entry);

}  // namespace capstan::envtest
