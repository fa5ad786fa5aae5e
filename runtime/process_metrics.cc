#include "runtime/process_metrics.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

namespace capstan::runtime {
namespace {

// Fields of /proc/self/stat, counted from the one behind the program's name (proc(5) calls that one 3).
struct Usage {
  double cpu_seconds = 0;
  double start_ticks = 0;
  double virtual_bytes = 0;
  double resident_pages = 0;
};

std::optional<Usage> usage() {
  std::ifstream file("/proc/self/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto name_end = text.rfind(')');  // the name itself may hold anything
  if (name_end == std::string::npos) return {};
  std::istringstream rest(text.substr(name_end + 1));
  std::string state;
  rest >> state;
  std::array<double, 21> fields = {};  // 4 (parent) to 24 (resident pages)
  for (double& field : fields) rest >> field;
  if (!rest) return {};
  const auto field = [&](std::size_t number) { return fields.at(number - 4); };
  return Usage{.cpu_seconds = (field(14) + field(15)) / static_cast<double>(sysconf(_SC_CLK_TCK)),
               .start_ticks = field(22),
               .virtual_bytes = field(23),
               .resident_pages = field(24)};
}

std::optional<double> boot_seconds() {
  std::ifstream file("/proc/stat");
  for (std::string word; file >> word;) {
    double seconds = 0;
    if (word == "btime" && file >> seconds) return seconds;
  }
  return {};
}

double open_files() {
  std::error_code failed;
  const std::filesystem::directory_iterator files("/proc/self/fd", failed);
  if (failed) return 0;
  return static_cast<double>(std::distance(begin(files), end(files)) - 1);  // without the one that looks
}

}  // namespace

ProcessMetrics::ProcessMetrics(Metrics& metrics)
    : cpu_seconds_(metrics.counters("process_cpu_seconds_total", "CPU time used, user and system").with({})),
      resident_bytes_(metrics.gauges("process_resident_memory_bytes", "resident memory").with({})),
      virtual_bytes_(metrics.gauges("process_virtual_memory_bytes", "virtual memory").with({})),
      open_fds_(metrics.gauges("process_open_fds", "open file descriptors").with({})),
      max_fds_(metrics.gauges("process_max_fds", "file descriptors that may be open").with({})),
      start_seconds_(
          metrics.gauges("process_start_time_seconds", "start of the process, since the epoch").with({})) {
  const auto now = usage();
  const auto boot = boot_seconds();
  if (now && boot) start_seconds_.set(*boot + now->start_ticks / static_cast<double>(sysconf(_SC_CLK_TCK)));
}

void ProcessMetrics::refresh() {
  open_fds_.set(open_files());
  rlimit files = {};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0) max_fds_.set(static_cast<double>(files.rlim_cur));
  const auto now = usage();
  if (!now) return;
  cpu_seconds_.with([&](const Counter& used) {
    if (now->cpu_seconds > used.value()) used.add(now->cpu_seconds - used.value());
  });
  virtual_bytes_.set(now->virtual_bytes);
  resident_bytes_.set(now->resident_pages * static_cast<double>(sysconf(_SC_PAGESIZE)));
}

}  // namespace capstan::runtime
