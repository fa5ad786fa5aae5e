// What this process holds: heap in use, resident now, and the most it ever was. Linux only.
#pragma once

#include <cstddef>

namespace capstan::bench {

std::size_t heap_bytes();
std::size_t resident_bytes();
std::size_t peak_resident_bytes();
void forget_peak();  // the peak starts again from what is resident now

}  // namespace capstan::bench
