// capstan-provider: reads the command line, runs the providers, turns how they ended into an exit code
// (options.cc lists them).
#include <iostream>
#include <span>

#include "cmd/provider/options.h"
#include "cmd/provider/serve.h"

int main(int argc, char** argv) {
  namespace program = capstan::program;
  const std::span<const char* const> words(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  const auto line = capstan::provider::read_options(words);
  if (!line) {
    std::cerr << "capstan-provider: " << line.error().message
              << "\ncapstan-provider --help lists the flags\n";
    return program::kBadCommandLine;
  }
  if (!line->print_and_exit.empty()) {
    std::cout << line->print_and_exit;
    return program::kStopped;
  }
  program::keep_little_in_each_thread(argv);
  return program::run("capstan-provider", line->options.logging, line->effective,
                      [&](const program::Seams& seams, const capstan::Log& log, const std::stop_token& stop) {
                        return capstan::provider::serve(line->options, seams, log, stop);
                      });
}
