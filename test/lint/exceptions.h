// What is allowed although a rule forbids it: one line each, with the reason, for a file or a whole folder
// ("base/"). A further exception comes with the commit that needs it; one without a finding is a finding.
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
    Exception{"citations", "test/lint/", "names what it forbids"},
    Exception{"light-headers", "kube/typed.h", "templates over documents, for the sources of reconcilers"},
    Exception{"purity", "runtime/note.cc", "also hands notes to the recorder of Events"},
    Exception{"removals", "controllers/drain/drain_watch.cc",
              "a store of its own: nothing is asked of a server"},
    Exception{"threads", "net/io_pool_impl.h",
              "io threads run Asio; simulations have no sockets and no io threads"},
};

}  // namespace capstan::lint
