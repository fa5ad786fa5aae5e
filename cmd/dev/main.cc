// capstan-dev: what a developer runs beside or instead of a real cluster. One subcommand a file.
#include <iostream>
#include <span>
#include <string_view>

#include "cmd/dev/apiserver_command.h"
#include "cmd/dev/demo_command.h"
#include "cmd/dev/driver_command.h"
#include "cmd/dev/fault_command.h"
#include "cmd/dev/provider_command.h"
#include "cmd/dev/up_command.h"
#include "cmd/program/program_version.h"

namespace {

constexpr std::string_view kHelp = R"(capstan-dev: development companions of Capstan

usage: capstan-dev COMMAND [flags]

  demo          a fleet comes up, grows and rolls; ends by itself
  up            a fleet in one process, for kubectl
  provider      infrastructure and bootstrap providers with their simulated cloud, beside any manager
  driver        the simulated cloud behind the driver protocol, for a capstan-provider
  driver-check  what a driver promises, tried out
  apiserver     the embedded Kubernetes API server, for kubectl and for tests
  fault         something goes wrong in the simulated cloud of `up`, `provider` or `driver`

capstan-dev COMMAND --help tells more; --completion bash prints a completion script, --version name and version.
)";

// One script a command; together they complete all of them.
int print_completion(std::span<const char* const> words) {
  using namespace capstan::dev;
  for (const auto command : {apiserver_command, demo_command, driver_command, driver_check_command,
                             fault_command, provider_command, up_command}) {
    if (const int code = command(words); code != 0) return code;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::span<const char* const> words(argv, static_cast<std::size_t>(argc));
  const std::string_view command = words.size() > 1 ? words[1] : "";
  if (command == "apiserver") return capstan::dev::apiserver_command(words.subspan(2));
  if (command == "up") return capstan::dev::up_command(words.subspan(2));
  if (command == "demo") return capstan::dev::demo_command(words.subspan(2));
  if (command == "driver") return capstan::dev::driver_command(words.subspan(2));
  if (command == "driver-check") return capstan::dev::driver_check_command(words.subspan(2));
  if (command == "fault") return capstan::dev::fault_command(words.subspan(2));
  if (command == "provider") return capstan::dev::provider_command(words.subspan(2));
  if (command == "--completion" && words.size() > 2) return print_completion(words.subspan(1));
  if (command == "--help" || command == "-h" || command == "help") {
    std::cout << kHelp;
    return 0;
  }
  if (command == "--version") {
    std::cout << capstan::program::version_line("capstan-dev");
    return 0;
  }
  std::cerr << (command.empty() ? "capstan-dev: no command given\n\n"
                                : "capstan-dev: unknown command \"" + std::string(command) + "\"\n\n")
            << kHelp;
  return 2;
}
