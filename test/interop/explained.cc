#include "test/interop/explained.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "test/envtest/kubectl.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

using ::testing::IsEmpty;

Lines lines_in(const std::string& text) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

bool explains(const Explained& one, const std::string& line) {
  return std::regex_search(line, std::regex(std::string(one.pattern)));
}

bool is_ours(const AuditEntry& entry) {
  return entry.agent == "capstan" || entry.agent == "capstan-provider";
}

bool is_of_cluster_api(const AuditEntry& entry) {
  return entry.group == "cluster.x-k8s.io" || entry.group.ends_with(".cluster.x-k8s.io");
}

bool is_refused_as_it_is(const AuditEntry& entry) {
  constexpr int kCodes[] = {400, 403, 422, 500};
  return std::ranges::find(kCodes, entry.code) != std::end(kCodes);
}

std::string as_line(const AuditEntry& entry) {
  return fmt::format("{} {} {} {}", entry.verb, entry.resource, entry.uri, entry.code);
}

// klog writes a value of several lines below its line: "err=<", each with a tab before it, " >".
Lines records_in(const std::string& text) {
  Lines records;
  for (std::string& line : lines_in(text)) {
    const bool goes_on = line.starts_with('\t') || line.starts_with(" >");
    if (goes_on && !records.empty())
      records.back() += " " + line.substr(1);
    else
      records.push_back(std::move(line));
  }
  return records;
}

// "E1128 00:12:47.123456   12345 file.go:7] MESSAGE".
bool is_error_of_klog(const std::string& record) {
  constexpr std::size_t kDate = 5;
  return record.size() > kDate && record[0] == 'E' && record[kDate] == ' ' &&
         record.find_first_not_of("0123456789", 1) == kDate;
}

std::string without_time_and_process(const std::string& record) {
  static const std::regex head(R"(^E\d{4} \S+ +\d+ )");
  return std::regex_replace(record, head, "");
}

bool whole_suite_ran() {
  const auto* suite = ::testing::UnitTest::GetInstance()->current_test_suite();
  return suite == nullptr || suite->test_to_run_count() == suite->total_test_count();
}

}  // namespace

Lines warnings_on(const RealServers& servers) {
  const std::string each = R"({"\u001e"}Event of {.source.component}: {.reason} of )"
                           "{.involvedObject.kind}/{.involvedObject.name}: {.message}";
  std::string events = kubectl(servers, {"get", "events", "-A", "--field-selector=type=Warning",
                                         "-o=jsonpath={range .items[*]}" + each + "{end}"});
  std::ranges::replace(events, '\n', ' ');  // of messages
  std::ranges::replace(events, '\x1e', '\n');
  Lines lines = lines_in(events);
  std::erase(lines, "");
  return lines;
}

Lines errors_logged_in(const std::filesystem::path& log) {
  Lines errors;
  for (const std::string& record : records_in(content_of(log))) {
    if (is_error_of_klog(record))
      errors.push_back(log.stem().string() + ": " + without_time_and_process(record));
    else if (record.contains("ERROR"))
      errors.push_back(record);
  }
  return errors;
}

Lines refusals_of_ours(const std::vector<AuditEntry>& entries) {
  Lines lines;
  for (const AuditEntry& entry : entries)
    if (is_ours(entry) && is_refused(entry)) lines.push_back(as_line(entry));
  return lines;
}

Lines refusals_of_others(const std::vector<AuditEntry>& entries) {
  Lines lines;
  for (const AuditEntry& entry : entries)
    if (!is_ours(entry) && is_write(entry) && is_of_cluster_api(entry) && is_refused_as_it_is(entry))
      lines.push_back(entry.agent + ": " + as_line(entry));
  return lines;
}

std::vector<AuditEntry> requests_to(const RealServers& servers) {
  const auto entries = AuditReader(servers.audit_log()).more();
  EXPECT_TRUE(entries) << entries.error().describe();
  return entries.value_or(std::vector<AuditEntry>());
}

Lines troubles_of(const RealServers& servers, const std::vector<std::filesystem::path>& logs) {
  Lines all = warnings_on(servers);
  for (const auto& log : logs) std::ranges::move(errors_logged_in(log), std::back_inserter(all));
  std::ranges::move(refusals_of_ours(requests_to(servers)), std::back_inserter(all));
  return all;
}

Lines unexplained(Lines lines, std::span<const Explained> list) {
  std::erase_if(lines, [&](const std::string& line) {
    return std::ranges::any_of(list, [&](const Explained& one) { return explains(one, line); });
  });
  return lines;
}

Lines needless(std::span<const Explained> list, const Lines& lines) {
  Lines patterns;
  for (const Explained& one : list)
    if (one.sometimes.empty() &&
        std::ranges::none_of(lines, [&](const std::string& line) { return explains(one, line); }))
      patterns.emplace_back(one.pattern);
  return patterns;
}

void expect_explained(const Lines& troubles, std::span<const Explained> list) {
  // All of them, and each on a line: a matcher shows 32.
  const Lines left = unexplained(troubles, list);
  EXPECT_EQ(left.size(), 0U) << "went wrong, and the suite does not explain it:\n  "
                             << fmt::format("{}", fmt::join(left, "\n  "));
  if (!whole_suite_ran()) return;
  EXPECT_THAT(needless(list, troubles), IsEmpty()) << "the suite explains it, and it did not come";
}

}  // namespace capstan::envtest
