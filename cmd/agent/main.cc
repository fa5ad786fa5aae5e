// capstan-agent: reads the command line, looks after this machine, turns how it ended into an exit code
// (options.cc lists them).
#include <iostream>
#include <span>

#include "cmd/agent/options.h"
#include "cmd/agent/serve.h"

int main(int argc, char** argv) {
  namespace program = capstan::program;
  const std::span<const char* const> words(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  const auto line = capstan::agent_program::read_options(words);
  if (!line) {
    std::cerr << "capstan-agent: " << line.error().message << "\ncapstan-agent --help lists the flags\n";
    return program::kBadCommandLine;
  }
  if (!line->print_and_exit.empty()) {
    std::cout << line->print_and_exit;
    return program::kStopped;
  }
  return program::run("capstan-agent", line->options.logging, line->effective,
                      [&](const program::Seams& seams, const capstan::Log& log, const std::stop_token& stop) {
                        return capstan::agent_program::serve(line->options, seams, log, stop);
                      });
}
