#include "cmd/agent/options.h"

#include <array>

namespace capstan::agent_program {
namespace {

constexpr std::string_view kUsage =
    R"(capstan-agent: makes a machine what its NodeConfig says, and keeps it so

usage: capstan-agent [--facts FILE] [flags]

Runs on each machine whose CloudConfig names a NodeConfig, as root. Lets the kubelet join, applies the
NodeConfig's files, units and kubelet, and reports on the Node. What it remembers stands in
/var/lib/capstan-agent (docs/bootstrap.md).
Exit codes: 0 stopped as asked, 1 failed, 2 bad command line, 5 another capstan-agent runs on this machine.
)";

constexpr std::array kMachine = {
    flag("facts", &MachineOptions::facts, "what this machine was told at birth, a file beneath --root"),
    flag("root", &MachineOptions::root, "folder beneath which all files are read and written"),
    flag("systemctl", &MachineOptions::systemctl, "program that enables, disables and restarts units"),
    flag("once", &MachineOptions::once, "one round, then exit: 0 when nothing is left to be tried again"),
};
constexpr std::array kProcess = {
    flag("version", &program::ProcessOptions::version, "print name and version and exit"),
};

void bind(Flags& flags, Options& options) {
  flags.add("Machine", options.machine, kMachine);
  program::add_logging(flags, options.logging);
  flags.add("Process", options.process, kProcess);
}

Result<void> check(const Options& options) {
  if (!options.machine.facts.starts_with('/'))
    return fail(Code::Invalid, "--facts takes an absolute path, as it is named beneath --root");
  if (options.machine.root.empty() || options.machine.systemctl.empty())
    return fail(Code::Invalid, "--root and --systemctl must not be empty");
  return {};
}

}  // namespace

Result<CommandLine> read_options(std::span<const char* const> words) {
  return program::read_command_line<Options>(
      words, {.program = "capstan-agent", .usage = kUsage, .bind = bind, .check = check});
}

}  // namespace capstan::agent_program
