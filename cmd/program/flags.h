// The flags that every program of ours has: leader election, logging, and how it is started. Upstream's names
// and defaults. Filled once, then constant.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/instant.h"
#include "base/options.h"
#include "base/result.h"
#include "base/try.h"

namespace capstan::program {

struct ElectionOptions {
  bool leader_elect = false;
  Nanoseconds lease_duration = std::chrono::seconds(15);
  Nanoseconds renew_deadline = std::chrono::seconds(10);
  Nanoseconds retry_period = std::chrono::seconds(2);
  std::string lease_name = {};       // empty: the program's own choice
  std::string lease_namespace = {};  // empty: the namespace the process runs in
};

struct LoggingOptions {
  std::string format = "text";
  int verbosity = 2;
  StringMap vmodule = {};
  Nanoseconds flush_frequency = std::chrono::seconds(5);
};

struct ProcessOptions {
  bool version = false;
  bool exit_when_ready = false;
};

// What they point to outlives the flags.
void add_election(Flags& flags, ElectionOptions& options);
void add_logging(Flags& flags, LoggingOptions& options);
void add_process(Flags& flags, ProcessOptions& options);

// The error names the flag.
Result<void> check(const ElectionOptions& options);

// The flags as they are, for the log.
using Effective = std::vector<std::pair<std::string, std::string>>;

template <typename Options>
struct CommandLine {
  Options options = {};
  std::string print_and_exit = {};  // help, completion or version; the options are not checked then
  Effective effective = {};
};

// Of a program: its name, its help above the flags, and its options, which have a member `process`.
template <typename Options>
struct ProgramFlags {
  std::string_view program = {};
  std::string_view usage = {};
  void (*bind)(Flags& flags, Options& options) = nullptr;
  Result<void> (*check)(const Options& options) = nullptr;  // the error names the flag and what it takes
};

// What there is to print instead of running; empty: nothing.
std::string instead_of_running(const Flags& flags, const Arguments& arguments, const ProcessOptions& process,
                               std::string_view program, std::string_view usage);

// For a command with flags of its own: prints help, a completion script or what is wrong with its words; the
// exit code then. Nothing: it is to run.
std::optional<int> answer_words(const Flags& flags, const Result<Arguments>& arguments,
                                std::string_view command, std::string_view usage);

template <typename Options>
Result<CommandLine<Options>> read_command_line(std::span<const char* const> words,
                                               const ProgramFlags<Options>& of) {
  CommandLine<Options> line;
  Flags flags;
  of.bind(flags, line.options);
  const auto arguments = TRY(flags.parse(words));
  line.print_and_exit = instead_of_running(flags, arguments, line.options.process, of.program, of.usage);
  if (!line.print_and_exit.empty()) return line;
  TRY(of.check(line.options));
  line.effective = flags.effective();
  return line;
}

// "0", "" or ":8443" or "127.0.0.1:8443".
struct ListenAddress {
  bool off = false;
  std::string host = {};
  std::uint16_t port = 0;
};
Result<ListenAddress> parse_listen_address(std::string_view flag, std::string_view text);

}  // namespace capstan::program
