#include "net/file_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace capstan::net {

Result<std::uint64_t> raise_file_limit(std::uint64_t wanted) {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return fail(Code::Internal, "read the file limit: " + std::generic_category().message(errno));
  }
  if (limit.rlim_cur >= wanted) return limit.rlim_cur;
  limit.rlim_cur = std::min<rlim_t>(wanted, limit.rlim_max);
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return fail(Code::Internal, fmt::format("raise the file limit to {}: {}", limit.rlim_cur,
                                            std::generic_category().message(errno)));
  }
  return limit.rlim_cur;
}

}  // namespace capstan::net
