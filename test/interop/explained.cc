#include "test/interop/explained.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <regex>
#include <sstream>

#include "test/envtest/audit.h"
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
  Lines lines = lines_in(content_of(log));
  std::erase_if(lines, [](const std::string& line) { return !line.contains("ERROR"); });
  return lines;
}

Lines refused_by(const RealServers& servers) {
  const auto entries = AuditReader(servers.audit_log()).more();
  EXPECT_TRUE(entries) << entries.error().describe();
  Lines lines;
  for (const AuditEntry& entry : entries.value_or(std::vector<AuditEntry>()))
    if (is_ours(entry) && is_refused(entry))
      lines.push_back(fmt::format("{} {} {} {}", entry.verb, entry.resource, entry.uri, entry.code));
  return lines;
}

Lines troubles_of(const RealServers& servers, const std::vector<std::filesystem::path>& logs) {
  Lines all = warnings_on(servers);
  for (const auto& log : logs) std::ranges::move(errors_logged_in(log), std::back_inserter(all));
  std::ranges::move(refused_by(servers), std::back_inserter(all));
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
  EXPECT_THAT(unexplained(troubles, list), IsEmpty()) << "went wrong, and the suite does not explain it";
  if (!whole_suite_ran()) return;
  EXPECT_THAT(needless(list, troubles), IsEmpty()) << "the suite explains it, and it did not come";
}

}  // namespace capstan::envtest
