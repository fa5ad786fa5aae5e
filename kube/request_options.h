// What a request to an API server may say besides the object it is about. Plain values; the verbs that take
// them are kube/client.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace capstan::kube {

enum class PatchType { Json, Merge, Strategic, Apply };
enum class Propagation { Background, Foreground, Orphan };

struct ListOptions {
  std::string namespace_ = {};  // empty: all namespaces
  std::string label_selector = {};
  std::string field_selector = {};
  std::int64_t limit = 0;  // 0: no paging
  std::string continue_token = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
};

struct WatchOptions {
  std::string namespace_ = {};
  std::string label_selector = {};
  std::string field_selector = {};
  std::string resource_version = {};
  std::int64_t timeout_seconds = 0;  // 0: the server's own choice
  bool bookmarks = true;
  bool send_initial_events = false;
};

struct WriteOptions {
  std::string field_manager = {};
  bool dry_run = false;
  bool strict_fields = false;  // fieldValidation=Strict
};

struct PatchOptions {
  PatchType type = PatchType::Merge;
  std::string subresource = {};  // "", "status" or "scale"
  std::string field_manager = {};
  bool force = false;  // server-side apply only
  bool dry_run = false;
  bool strict_fields = false;
};

struct DeleteOptions {
  std::optional<std::string> uid = {};               // precondition
  std::optional<std::string> resource_version = {};  // precondition
  std::optional<Propagation> propagation = {};
  std::optional<std::int64_t> grace_period_seconds = {};
  bool dry_run = false;
};

}  // namespace capstan::kube
