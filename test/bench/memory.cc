#include "test/bench/memory.h"

#include <malloc.h>

#include <fstream>
#include <stdexcept>
#include <string>

namespace capstan::bench {
namespace {

std::size_t status_line(const std::string& name) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    if (word != name) continue;
    std::size_t kilobytes = 0;
    status >> kilobytes;
    return kilobytes * 1024;
  }
  throw std::runtime_error("/proc/self/status has no " + name);
}

}  // namespace

std::size_t heap_bytes() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

std::size_t resident_bytes() { return status_line("VmRSS:"); }
std::size_t peak_resident_bytes() { return status_line("VmHWM:"); }
void forget_peak() { std::ofstream("/proc/self/clear_refs") << 5; }

}  // namespace capstan::bench
