// What a reader of a watch implements: the informers of runtime/. Calls come one at a time, but from changing
// threads (io threads and the watch loop's), and must not block for long or destroy the watcher.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "api/schema/scalars.h"
#include "api/schema/text_map.h"
#include "base/error.h"
#include "kube/resource.h"

namespace capstan::kube {

struct InitDone {
  std::string_view version = {};
  // Objects that could not be read and whose names are not known either. While there are any, an object that
  // the list did not bring may still exist.
  std::size_t nameless = 0;
  // The server's history was set back (a restored backup): what was cached may carry higher versions and is
  // still older.
  bool rewound = false;
};

// An object that could not be believed. Keep what was known of it.
struct Quarantine {
  ObjectKey key = {};  // empty name: unknown
  Error error = {};
  bool deleted = false;  // it was in a DELETED event: whatever it was, it is gone
  // All of its metadata could be read; otherwise nothing is known of owners and labels.
  bool metadata_read = false;
  std::vector<api::Uid> owners = {};
  api::TextMap labels = {};
};

template <typename T>
class WatchHandler {
 public:
  virtual ~WatchHandler() = default;
  // A list begins (again): forget the side map of an unfinished one.
  virtual void on_init_start() = 0;
  virtual void on_item(T&& object) = 0;
  // The list is complete: swap. An object that was quarantined on the way is not missing.
  virtual void on_init_done(const InitDone& done) = 0;
  virtual void on_apply(T&& object) = 0;
  virtual void on_delete(T&& last_state) = 0;
  virtual void on_quarantine(const Quarantine& quarantine) = 0;
  // Everything up to this version has been handed over (bookmarks).
  virtual void on_version(std::string_view) {}
  // A request failed or the server contradicted itself; it is tried again by itself.
  virtual void on_trouble(const Error&) {}
};

}  // namespace capstan::kube
