// What this process, or another one, holds: heap in use, resident now, and the most it ever was. Linux only.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace capstan::bench {

std::size_t heap_bytes();
std::size_t resident_bytes();
std::size_t peak_resident_bytes();
double peak_resident_mb(pid_t pid);  // of another process
// Of what another process has resident: what it allocated, and what it maps of its program and libraries.
struct ResidentParts {
  double own_mb = 0;
  double program_mb = 0;
};
ResidentParts resident_parts(pid_t pid);
void forget_peak();  // the peak starts again from what is resident now

}  // namespace capstan::bench
