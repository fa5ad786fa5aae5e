// docs/metrics.md beside a scrape of upstream's core.
#include <gmock/gmock.h>
#include <httplib.h>

#include <fstream>
#include <set>
#include <sstream>

#include "base/threads.h"
#include "test/envtest/upstream_core.h"

namespace capstan::envtest {
namespace {

constexpr auto kPatience = std::chrono::minutes(1);
constexpr auto kLookAgain = std::chrono::milliseconds(200);

// Of the first of its listeners that serves metrics over plain HTTP; empty: none does.
std::string scrape(pid_t pid) {
  for (const std::uint16_t port : listening_ports(pid)) {
    httplib::Client client("127.0.0.1", port);
    const auto answer = client.Get("/metrics");
    if (answer && answer->status == 200) return answer->body;
  }
  return {};
}

// "# TYPE workqueue_depth gauge"
std::set<std::string> families(const std::string& metrics) {
  std::set<std::string> names;
  std::istringstream lines(metrics);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string hash, type, name;
    words >> hash >> type >> name;
    if (hash == "#" && type == "TYPE") names.insert(name);
  }
  return names;
}

// The names in the first column; "go_*" stands for all that begin so.
std::vector<std::string> rows() {
  std::vector<std::string> names;
  std::ifstream page("docs/metrics.md");
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("| `")) names.push_back(line.substr(3, line.find('`', 3) - 3));
  }
  return names;
}

bool has_row(const std::vector<std::string>& rows, const std::string& name) {
  return std::ranges::any_of(rows, [&](const std::string& row) {
    return row.ends_with('*') ? name.starts_with(row.substr(0, row.size() - 1)) : row == name;
  });
}

TEST(UpstreamsMetrics, HaveARowEachThatSaysWhetherTheyAreHere) {
  const auto core = UpstreamCore::start({"--diagnostics-address=127.0.0.1:0", "--insecure-diagnostics=true"});
  ASSERT_TRUE(core) << core.error().describe();
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, kPatience);
  std::set<std::string> names;
  // Names of controllers appear when these start.
  while (!names.contains("controller_runtime_max_concurrent_reconciles") &&
         !deadline.passed(clock.steady_now())) {
    names = families(scrape((*core)->process().pid()));
    threads.pause(Deadline::in(clock, kLookAgain));
  }

  ASSERT_TRUE(names.contains("controller_runtime_max_concurrent_reconciles")) << names.size();
  const auto listed = rows();
  for (const std::string& name : names) EXPECT_TRUE(has_row(listed, name)) << name;
}

}  // namespace
}  // namespace capstan::envtest
