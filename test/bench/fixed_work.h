// A fixed piece of work, in milliseconds of CPU on this machine and now: what CPU figures are divided by, so
// that they say more about the program than about the machine.
#pragma once

namespace capstan::bench {

// To parse and print the reference Machine 100 times with Boost.JSON; the least of several rounds.
double fixed_work_ms();

}  // namespace capstan::bench
