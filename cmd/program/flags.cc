#include "cmd/program/flags.h"

#include <array>
#include <charconv>
#include <iostream>

#include "cmd/program/program_version.h"

namespace capstan::program {
namespace {

constexpr std::array kElection = {
    flag("leader-elect", &ElectionOptions::leader_elect,
         "act only while holding the lease; several processes may then run"),
    flag("leader-elect-lease-duration", &ElectionOptions::lease_duration,
         "how long others wait before taking over a lease that is not renewed"),
    flag("leader-elect-renew-deadline", &ElectionOptions::renew_deadline,
         "how long the leader tries to renew before it gives up"),
    flag("leader-elect-retry-period", &ElectionOptions::retry_period,
         "time between two tries to get or renew the lease"),
    flag("leader-elect-resource-namespace", &ElectionOptions::lease_namespace,
         "namespace of the Lease; empty: the one this process runs in"),
};
constexpr std::array kLogging = {
    flag("logging-format", &LoggingOptions::format, "form of a log line", {.choices = "text|json"}),
    flag("v", &LoggingOptions::verbosity, "how much is logged: 0 errors, 2 what changed, 4 why nothing did",
         {.minimum = 0, .maximum = 10}),
    flag("vmodule", &LoggingOptions::vmodule, "component=level, ..."),
    flag("log-flush-frequency", &LoggingOptions::flush_frequency,
         "accepted, without effect: every line is written at once"),
};

constexpr std::array kProcess = {
    flag("version", &ProcessOptions::version, "print name and version and exit"),
    flag("exit-when-ready", &ProcessOptions::exit_when_ready,
         "end with success once every cache is filled and the controllers run: for smoke tests and "
         "measurements"),
};

}  // namespace

void add_election(Flags& flags, ElectionOptions& options) {
  flags.add("Leader election", options, kElection);
}
void add_logging(Flags& flags, LoggingOptions& options) { flags.add("Logging", options, kLogging); }
void add_process(Flags& flags, ProcessOptions& options) { flags.add("Process", options, kProcess); }

std::string instead_of_running(const Flags& flags, const Arguments& arguments, const ProcessOptions& process,
                               std::string_view program, std::string_view usage) {
  if (!arguments.completion.empty()) return flags.completion(program);
  if (arguments.help) return flags.help(usage);
  return process.version ? version_line(program) : std::string();
}

Result<void> check(const ElectionOptions& options) {
  if (options.lease_duration <= options.renew_deadline)
    return fail(Code::Invalid,
                "--leader-elect-lease-duration must be longer than --leader-elect-renew-deadline");
  if (options.renew_deadline <= options.retry_period)
    return fail(Code::Invalid,
                "--leader-elect-renew-deadline must be longer than --leader-elect-retry-period");
  return {};
}

std::optional<int> answer_words(const Flags& flags, const Result<Arguments>& arguments,
                                std::string_view command, std::string_view usage) {
  constexpr int kBadWords = 2;
  if (!arguments) {
    std::cerr << command << ": " << arguments.error().message << "\n";
    return kBadWords;
  }
  if (!arguments->help && arguments->completion.empty()) return std::nullopt;
  std::cout << (arguments->help ? flags.help(usage) : flags.completion(command));
  return 0;
}

Result<ListenAddress> parse_listen_address(std::string_view flag, std::string_view text) {
  if (text.empty() || text == "0") return ListenAddress{.off = true};
  const std::size_t colon = text.rfind(':');
  std::uint16_t port = 0;
  const auto* end = text.data() + text.size();
  const bool has_port = colon != std::string_view::npos && colon + 1 < text.size();
  const auto read = has_port ? std::from_chars(text.data() + colon + 1, end, port)
                             : std::from_chars_result{.ptr = text.data(), .ec = std::errc::invalid_argument};
  if (read.ec != std::errc() || read.ptr != end) {
    return fail(Code::Invalid, "--" + std::string(flag) + " " + std::string(text) +
                                   ": expected ADDRESS:PORT, :PORT, or 0 for none; a port is 0 to 65535");
  }
  std::string host(text.substr(0, colon));
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  return ListenAddress{.host = host.empty() ? "0.0.0.0" : host, .port = port};
}

}  // namespace capstan::program
