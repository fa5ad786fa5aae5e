#include "cmd/dev/driver_command.h"

#include <unistd.h>

#include <boost/json.hpp>
#include <iostream>

#include "base/log.h"
#include "base/options.h"
#include "base/try.h"
#include "cmd/dev/fault_file.h"
#include "cmd/program/flags.h"
#include "cmd/program/signals.h"
#include "infrastructure/remote/openapi.h"
#include "infrastructure/remote/server.h"
#include "infrastructure/sim/cloud.h"

namespace capstan::dev {
namespace {

using infrastructure::remote::DriverServer;
using infrastructure::remote::parse_endpoint;

struct DriverOptions {
  std::string listen = {};
  std::string ca_file = {};
  std::string cert_file = {};
  std::string key_file = {};
  std::string faults = {};
  std::int64_t seed = 1;
  bool openapi = false;
};

constexpr std::array kDriverFlags = {
    flag("listen", &DriverOptions::listen, "unix:/PATH, or https://ADDRESS:PORT"),
    flag("ca-file", &DriverOptions::ca_file, "with https: who must have signed the certificates of callers"),
    flag("cert-file", &DriverOptions::cert_file, "with https: certificate of the driver"),
    flag("key-file", &DriverOptions::key_file, "with https: its key"),
    flag("faults", &DriverOptions::faults,
         "file that says how the simulated cloud is and what goes wrong in it"),
    flag("seed", &DriverOptions::seed, "seed of names and chance"),
    flag("openapi", &DriverOptions::openapi, "print the protocol as an OpenAPI document, and end"),
};

constexpr std::string_view kDriverUsage =
    R"(capstan-dev driver: the simulated cloud behind the driver protocol

usage: capstan-dev driver --listen ENDPOINT [flags]

Serves it until SIGINT or SIGTERM, for a capstan-provider whose --drivers names the endpoint, or for
capstan-dev driver-check. Prints "ready" once it can be called.
)";

Result<void> serve_driver(const DriverOptions& options, const program::Signals& signals, Threads& threads) {
  SystemClock clock;
  const auto endpoint = TRY(parse_endpoint(options.listen));
  const auto script = TRY(script_at_start(options.faults, options.seed, std::cerr));
  infrastructure::sim::SimCloud cloud({.clock = clock, .threads = threads}, script);
  DescriptorSink sink(STDERR_FILENO);
  const FaultFile faults({clock, threads, cloud, Log(sink, clock, {.levels = {.all = Level::Error}})},
                         options.faults, script);
  DriverServer server(
      {.clock = clock, .threads = threads, .driver = cloud}, endpoint,
      {.authority = options.ca_file, .certificate = options.cert_file, .key = options.key_file});
  TRY(server.start());
  std::cout << "ready" << std::endl;
  threads.pause(Deadline::never(signals.stop()));
  return {};
}

int run_driver(const DriverOptions& options) {
  SystemThreads threads;
  const program::Signals signals(threads);
  const auto served = serve_driver(options, signals, threads);
  if (served) return 0;
  std::cerr << "capstan-dev driver: " << served.error().describe() << "\n";
  return 1;
}

}  // namespace

int driver_command(std::span<const char* const> words) {
  DriverOptions options;
  Flags flags;
  flags.add("driver", options, kDriverFlags);
  const auto arguments = flags.parse(words);
  if (const auto code = program::answer_words(flags, arguments, "capstan-dev driver", kDriverUsage))
    return *code;
  if (options.openapi) {
    std::cout << infrastructure::remote::openapi_text();
    return 0;
  }
  return run_driver(options);
}

}  // namespace capstan::dev
