#include "test/bench/fixed_work.h"

#include <time.h>

#include <algorithm>
#include <boost/json.hpp>
#include <stdexcept>

#include "test/bench/reference_machine.h"

namespace capstan::bench {
namespace {

constexpr int kRounds = 20;
constexpr int kTimes = 100;

double thread_cpu_ms() {
  timespec spent{};
  if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent) != 0)
    throw std::runtime_error("the kernel tells no CPU time of a thread");
  return static_cast<double>(spent.tv_sec) * 1e3 + static_cast<double>(spent.tv_nsec) / 1e6;
}

}  // namespace

double fixed_work_ms() {
  const std::string text = reference_machine(1);
  double least = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    const double begun = thread_cpu_ms();
    std::size_t printed = 0;
    for (int i = 0; i < kTimes; ++i) printed += boost::json::serialize(boost::json::parse(text)).size();
    if (printed == 0) throw std::runtime_error("the reference Machine is empty");
    least = std::min(least, thread_cpu_ms() - begun);
  }
  return least;
}

}  // namespace capstan::bench
