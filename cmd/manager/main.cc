// capstan: reads the command line, runs the manager or `capstan cleanup`, turns how it ended into an exit
// code (options.cc lists them).
#include <iostream>
#include <span>
#include <string_view>

#include "cmd/manager/cleanup_command.h"
#include "cmd/manager/options.h"
#include "cmd/manager/process.h"

int main(int argc, char** argv) {
  const std::span<const char* const> words(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
  if (!words.empty() && std::string_view(words.front()) == "cleanup")
    return capstan::manager::cleanup_command(words.subspan(1));
  const auto line = capstan::manager::read_options(words);
  if (!line) {
    std::cerr << "capstan: " << line.error().message << "\ncapstan --help lists the flags\n";
    return capstan::manager::kBadCommandLine;
  }
  if (!line->print_and_exit.empty()) {
    std::cout << line->print_and_exit;
    return capstan::manager::kStopped;
  }
  capstan::program::keep_little_in_each_thread(argv);
  return capstan::manager::run(*line);
}
