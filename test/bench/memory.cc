#include "test/bench/memory.h"

#include <malloc.h>

#include <fstream>
#include <stdexcept>
#include <string>

namespace capstan::bench {
namespace {

std::size_t status_line(const std::string& process, const std::string& name) {
  const std::string path = "/proc/" + process + "/status";
  std::ifstream status(path);
  for (std::string word; status >> word;) {
    if (word != name) continue;
    std::size_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  throw std::runtime_error(path + " has no " + name);
}

}  // namespace

std::size_t heap_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::size_t resident_bytes() { return status_line("self", "VmRSS:"); }
std::size_t peak_resident_bytes() { return status_line("self", "VmHWM:"); }
double peak_resident_mb(pid_t pid) {
  return static_cast<double>(status_line(std::to_string(pid), "VmHWM:")) / (1 << 20);
}
ResidentParts resident_parts(pid_t pid) {
  const std::string process = std::to_string(pid);
  return {.own_mb = static_cast<double>(status_line(process, "RssAnon:")) / 1e6,
          .program_mb = static_cast<double>(status_line(process, "RssFile:")) / 1e6};
}
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

}  // namespace capstan::bench
