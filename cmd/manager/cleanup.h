// `capstan cleanup`: takes what Capstan alone writes (cmd/manager/cleanup_keys.h) off every object of a
// management cluster and every Node of its workload clusters, before Capstan is removed. One thread; nothing
// of a manager runs beside it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/threads.h"
#include "kube/client.h"

namespace capstan::manager {

struct CleanupSeams {
  const Clock& clock;
  Threads& threads;
  kube::Client& management;
  // To the API server of a Cluster. NotFound: it has no kubeconfig, and so no Node that we have written to.
  std::function<Result<std::unique_ptr<kube::Client>>(const kube::ObjectKey& cluster)> dial;
  std::function<void(const std::string& line)> say;
};

struct CleanupOptions {
  std::string namespace_ = {};  // empty: all
  bool dry_run = false;
};

struct CleanupSummary {
  int looked_at = 0;
  int changed = 0;   // with --dry-run: would be
  int failed = 0;    // each was said
  int clusters = 0;  // whose Nodes were looked at

  bool complete() const { return failed == 0; }
  std::string describe(bool dry_run) const;
};

// Conflict while a Capstan holds a Lease: it would write again what is taken off (a dry run says so and looks
// on). Other errors: the management cluster could not be read. What can't be taken off one object does not
// hold up the others.
Result<CleanupSummary> clean_up(const CleanupSeams& seams, const CleanupOptions& options,
                                const std::stop_token& stop);

}  // namespace capstan::manager
