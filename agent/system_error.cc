#include "agent/system_error.h"

#include <cerrno>
#include <string>
#include <system_error>

namespace capstan::agent {

Failure system_failure(std::string_view doing) {
  const int number = errno;
  return fail(Code::Internal, std::string(doing) + ": " + std::generic_category().message(number));
}

}  // namespace capstan::agent
