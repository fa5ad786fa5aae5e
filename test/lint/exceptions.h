// What is allowed although a rule forbids it: one line each, with the reason. Whoever needs another one adds
// it here, in the commit that needs it; one that is no longer needed is a finding.
#pragma once

#include <array>
#include <string_view>

namespace capstan::lint {

struct Exception {
  std::string_view rule;
  std::string_view file;
  std::string_view why;
};

inline constexpr std::array kExceptions = {
    Exception{"chance", "test/envtest/real_servers.cc", "a token nobody can guess"},
    Exception{"light-headers", "kube/typed.h", "templates over documents, for the sources of reconcilers"},
    Exception{"removals", "controllers/drain/drain_watch.cc",
              "a store of its own: nothing is asked of a server"},
    Exception{"threads", "net/io_pool_impl.h",
              "io threads run Asio; simulations have no sockets and no io threads"},
};

}  // namespace capstan::lint
