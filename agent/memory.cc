#include "agent/memory.h"

#include "agent/places.h"
#include "base/try.h"

namespace capstan::agent {

Result<State> load_state(const Root& root) {
  const auto text = TRY(root.read(kStateFile));
  if (!text) return State();
  return parse_state(*text).value_or(State());
}

Result<void> save_state(const Root& root, const State& state, const Mark& own) {
  return write_own(root, kStateFile, render(state), own);
}

Result<void> write_own(const Root& root, std::string_view path, std::string_view content, const Mark& own) {
  constexpr unsigned kOwnMode = 0600;
  return root.write(path, content, {.mode = kOwnMode, .user = own.user, .group = own.group});
}

}  // namespace capstan::agent
