#include "cmd/provider/serve.h"

#include "base/try.h"
#include "cmd/provider/wiring.h"

namespace capstan::provider {

Result<void> serve(const Options& options, const program::Seams& seams, const Log& log,
                   const std::stop_token& stop) {
  auto wiring = TRY(Wiring::make(seams, options, log));
  TRY(wiring->start(stop));
  if (!options.process.exit_when_ready) seams.threads.pause(Deadline::never(stop));
  log.info("stopping");
  wiring->stop();
  return {};
}

}  // namespace capstan::provider
