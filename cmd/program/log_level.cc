#include "cmd/program/log_level.h"

namespace capstan::program {
namespace {

constexpr int kDebugVerbosity = 4;

}  // namespace

Level level_of(std::int64_t verbosity) {
  if (verbosity >= kDebugVerbosity) return Level::Debug;
  return verbosity > 0 ? Level::Info : Level::Error;
}

}  // namespace capstan::program
