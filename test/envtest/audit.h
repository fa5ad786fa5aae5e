// What an audit log of RealServers says about who asked for what: the counter behind the request figures.
// Values and one reader; one thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace capstan::envtest {

struct AuditEntry {
  std::string user = {};
  std::string agent = {};     // program of the User-Agent, without its version
  std::string verb = {};      // as Kubernetes names it: create, patch, list, watch, ...
  std::string resource = {};  // "machines", "machines/status"; the path when it is none
  std::string group = {};
  std::string object = {};  // "namespace/name"
  int code = 0;
  std::string at = {};   // when the request came, RFC 3339 with microseconds
  std::string uri = {};  // path and query
  // What was sent and what came of it, as JSON; empty when the policy does not ask for it.
  std::string body = {};
  std::string answer = {};
};

// The entries that were not read yet; only whole lines count.
class AuditReader {
 public:
  explicit AuditReader(std::filesystem::path log) : log_(std::move(log)) {}
  Result<std::vector<AuditEntry>> more();

 private:
  std::filesystem::path log_;
  std::uint64_t read_ = 0;
};

// The server would not have it. A lost race for a list that many write (409) is none: the next look settles
// it.
bool is_refused(const AuditEntry& entry);
bool is_write(const AuditEntry& entry);
bool is_watch(const AuditEntry& entry);
bool is_event(const AuditEntry& entry);
bool is_lease(const AuditEntry& entry);

// "verb resource code" and how often, for people: most first.
std::string breakdown(const std::vector<AuditEntry>& entries, double per);

}  // namespace capstan::envtest
