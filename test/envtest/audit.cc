#include "test/envtest/audit.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>

namespace capstan::envtest {
namespace {

namespace json = boost::json;

std::string text_at(const json::object& object, std::string_view key) {
  const auto* found = object.if_contains(key);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

void read_object(const json::object& reference, AuditEntry& entry) {
  entry.resource = text_at(reference, "resource");
  if (const auto part = text_at(reference, "subresource"); !part.empty()) entry.resource += "/" + part;
  entry.group = text_at(reference, "apiGroup");
  entry.object = text_at(reference, "namespace") + "/" + text_at(reference, "name");
}

AuditEntry entry_of(const json::object& line) {
  AuditEntry entry{.agent = text_at(line, "userAgent"), .verb = text_at(line, "verb")};
  entry.agent = entry.agent.substr(0, entry.agent.find('/'));
  entry.at = text_at(line, "requestReceivedTimestamp");
  entry.uri = text_at(line, "requestURI");
  if (const auto* user = line.if_contains("user"); user != nullptr && user->is_object())
    entry.user = text_at(user->as_object(), "username");
  if (const auto* body = line.if_contains("requestObject")) entry.body = json::serialize(*body);
  if (const auto* answer = line.if_contains("responseObject")) entry.answer = json::serialize(*answer);
  if (const auto* reference = line.if_contains("objectRef"); reference != nullptr && reference->is_object())
    read_object(reference->as_object(), entry);
  else
    entry.resource = entry.uri;
  if (const auto* status = line.if_contains("responseStatus"); status != nullptr && status->is_object()) {
    if (const auto* code = status->as_object().if_contains("code"); code != nullptr && code->is_int64())
      entry.code = static_cast<int>(code->as_int64());
  }
  return entry;
}

}  // namespace

Result<std::vector<AuditEntry>> AuditReader::more() {
  std::ifstream file(log_, std::ios::binary);
  if (!file) return fail(Code::NotFound, "no audit log at " + log_.string());
  file.seekg(static_cast<std::streamoff>(read_));
  std::vector<AuditEntry> entries;
  std::string line;
  while (std::getline(file, line) && !file.eof()) {
    read_ += line.size() + 1;
    boost::system::error_code trouble;
    const json::value parsed = json::parse(line, trouble);
    if (trouble || !parsed.is_object()) return fail(Code::Invalid, "no audit entry: " + line);
    entries.push_back(entry_of(parsed.as_object()));
  }
  return entries;
}

bool is_refused(const AuditEntry& entry) {
  constexpr int kConflict = 409;
  return entry.code >= 400 && entry.code != kConflict;
}

bool is_write(const AuditEntry& entry) {
  constexpr std::string_view kWrites[] = {"create", "update", "patch", "delete", "deletecollection"};
  return std::ranges::find(kWrites, entry.verb) != std::end(kWrites);
}

bool is_watch(const AuditEntry& entry) { return entry.verb == "watch"; }
bool is_event(const AuditEntry& entry) { return entry.resource == "events"; }
bool is_lease(const AuditEntry& entry) { return entry.resource == "leases"; }

std::string breakdown(const std::vector<AuditEntry>& entries, double per) {
  std::map<std::string, int> counts;
  for (const AuditEntry& entry : entries)
    ++counts[fmt::format("{:<24} {:<8} {:<36} {}", entry.agent, entry.verb, entry.resource, entry.code)];
  std::vector<std::pair<int, std::string>> sorted;
  for (const auto& [what, count] : counts) sorted.emplace_back(count, what);
  std::ranges::sort(sorted, std::greater());
  std::string text;
  for (const auto& [count, what] : sorted) text += fmt::format("{:8.2f}  {}\n", count / per, what);
  return text;
}

}  // namespace capstan::envtest
