#include "cmd/dev/fault_file.h"

#include <filesystem>
#include <ostream>

#include "base/try.h"
#include "cmd/dev/files.h"

namespace capstan::dev {
namespace {

constexpr Nanoseconds kLookEvery = std::chrono::seconds(1);

bool differ_beyond_faults(infrastructure::sim::Script before, const infrastructure::sim::Script& after) {
  before.faults = after.faults;
  return before != after;
}

}  // namespace

Result<infrastructure::sim::Script> script_at_start(const std::string& path, std::int64_t seed,
                                                    std::ostream& notes) {
  infrastructure::sim::Script script{.seed = static_cast<std::uint64_t>(seed)};
  if (path.empty()) return script;
  if (!std::filesystem::exists(path)) {
    notes << path << " is not there yet: nothing goes wrong until `capstan-dev fault --faults " << path
          << "` makes it\n";
    return script;
  }
  auto parsed = infrastructure::sim::parse_script(TRY(read_file(path)));
  if (!parsed) return fail(parsed.error().context("--faults " + path));
  return parsed;
}

FaultFile::FaultFile(const FaultFileDeps& deps, std::string path, infrastructure::sim::Script started)
    : deps_(deps), path_(std::move(path)), script_(std::move(started)) {
  if (path_.empty()) return;
  thread_ = deps_.threads.spawn("faults", [this](const std::stop_token& stop) {
    while (deps_.threads.pause(Deadline::in(deps_.clock, kLookEvery, stop)) != Woken::Stopped) look();
  });
}

FaultFile::~FaultFile() {
  if (thread_) thread_->request_stop();
}

// A file that can't be read, or is no script, changes nothing.
void FaultFile::look() {
  auto text = read_file(path_);
  if (!text || *text == last_) return;
  last_ = std::move(*text);
  const auto script = infrastructure::sim::parse_script(last_);
  if (!script) return deps_.log.error("faults not followed", {{"file", path_}, {"error", script.error()}});
  if (*script == script_) return;
  if (differ_beyond_faults(script_, *script))
    deps_.log.error("only `faults` is followed while this runs: start it again for the rest",
                    {{"file", path_}});
  script_ = *script;
  deps_.cloud.follow_faults(script->faults);
}

}  // namespace capstan::dev
