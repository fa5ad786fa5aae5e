// Everything that can be said to capstan-agent on its command line. Filled by read_options() once, then
// constant.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "cmd/program/flags.h"
#include "cmd/program/process.h"

namespace capstan::agent_program {

struct MachineOptions {
  std::string facts = "/etc/capstan/agent.json";
  std::string root = "/";
  std::string systemctl = "systemctl";
  bool once = false;
};

struct Options {
  MachineOptions machine = {};
  program::LoggingOptions logging = {};
  program::ProcessOptions process = {};
};

using CommandLine = program::CommandLine<Options>;

// The error names the flag and what it takes.
Result<CommandLine> read_options(std::span<const char* const> words);

}  // namespace capstan::agent_program
