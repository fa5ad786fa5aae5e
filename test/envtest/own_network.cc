#include "test/envtest/own_network.h"

#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace capstan::envtest {
namespace {

Failure network_failure(std::string_view what) {
  return fail(Code::Internal, fmt::format("{}: {}", what, std::strerror(errno)));
}

}  // namespace

Result<void> enter_own_network() {
  if (::unshare(CLONE_NEWNET) != 0) return network_failure("unshare the network");
  const int any = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (any < 0) return network_failure("socket");
  ifreq loopback = {};
  std::strncpy(loopback.ifr_name, "lo", sizeof loopback.ifr_name - 1);
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  const int done = ::ioctl(any, SIOCSIFFLAGS, &loopback);
  const int why = errno;
  ::close(any);
  errno = why;
  if (done != 0) return network_failure("bring the loopback interface up");
  return {};
}

}  // namespace capstan::envtest
