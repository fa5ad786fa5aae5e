// The flags that every program of ours has: leader election, logging, and how it is started. Upstream's names
// and defaults. Filled once, then constant.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/instant.h"
#include "base/options.h"
#include "base/result.h"

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

// "0", "" or ":8443" or "127.0.0.1:8443".
struct ListenAddress {
  bool off = false;
  std::string host = {};
  std::uint16_t port = 0;
};
Result<ListenAddress> parse_listen_address(std::string_view flag, std::string_view text);

}  // namespace capstan::program
