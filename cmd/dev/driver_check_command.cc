#include <algorithm>
#include <iostream>

#include "base/options.h"
#include "base/randomness.h"
#include "base/try.h"
#include "cmd/dev/driver_command.h"
#include "cmd/dev/files.h"
#include "cmd/program/flags.h"
#include "infrastructure/remote/check.h"
#include "infrastructure/remote/http_transport.h"
#include "infrastructure/remote/remote_driver.h"

namespace capstan::dev {
namespace {

namespace remote = infrastructure::remote;

struct CheckFlags {
  std::string ca_file = {};
  std::string cert_file = {};
  std::string key_file = {};
  std::string vm_class = {};
  std::string provider_spec_file = {};
  StringMap credential_files = {};
  std::int32_t more_vms = 0;
  Nanoseconds patience = std::chrono::minutes(2);
};

constexpr std::array kCheckFlags = {
    flag("ca-file", &CheckFlags::ca_file, "with https: who must have signed the certificate of the driver"),
    flag("cert-file", &CheckFlags::cert_file, "with https: certificate to call with"),
    flag("key-file", &CheckFlags::key_file, "with https: its key"),
    flag("class", &CheckFlags::vm_class, "size of the VMs that are made, as spec.class"),
    flag("provider-spec-file", &CheckFlags::provider_spec_file, "JSON, as spec.providerSpec"),
    flag("credential-files", &CheckFlags::credential_files,
         "NAME=FILE,...: as the Secret of credentialsRef has them"),
    flag("more-vms", &CheckFlags::more_vms, "VMs beyond the two: as many as make the list of several pages",
         {.minimum = 0}),
    flag("patience", &CheckFlags::patience, "for each call, and for a VM to be gone"),
};

constexpr std::string_view kCheckUsage = R"(capstan-dev driver-check: what a driver promises, tried out

usage: capstan-dev driver-check ENDPOINT [flags]

ENDPOINT is unix:/PATH or https://HOST:PORT. Makes two VMs (and --more-vms), asks about them and removes them, and
prints a line for each promise. Exit codes: 0 all are kept, 1 one is broken, 2 bad command line.
)";

Result<remote::CheckOptions> check_options(const CheckFlags& flags) {
  remote::CheckOptions options{
      .vm_class = flags.vm_class, .more_vms = flags.more_vms, .patience = flags.patience};
  SystemRandomness randomness;
  options.run = random_uuid(randomness).substr(0, 8);
  if (!flags.provider_spec_file.empty()) options.provider_spec = TRY(read_file(flags.provider_spec_file));
  for (const auto& [name, file] : flags.credential_files)
    options.credentials.values.emplace(name, Secret<std::string>(TRY(read_file(file))));
  return options;
}

void print(const remote::CheckResult& result) {
  std::cout << (result.fault ? "BROKEN  " : "kept    ") << result.promise;
  if (result.fault) std::cout << ": " << *result.fault;
  std::cout << std::endl;
}

// How many promises are broken.
Result<std::size_t> run_check(std::string_view where, const CheckFlags& flags) {
  const auto endpoint = TRY(remote::parse_endpoint(where));
  const auto options = TRY(check_options(flags));
  SystemClock clock;
  SystemThreads threads;
  remote::HttpTransport transport(
      {.clock = clock, .threads = threads},
      {.endpoint = endpoint,
       .tls = {.authority = flags.ca_file, .certificate = flags.cert_file, .key = flags.key_file}});
  remote::RemoteDriver driver(transport, clock);
  const auto results = remote::check_driver(
      {.clock = clock, .threads = threads, .driver = driver, .transport = &transport}, options, print);
  const auto broken =
      std::ranges::count_if(results, [](const auto& result) { return result.fault.has_value(); });
  std::cout << broken << " of " << results.size() << " promises broken" << std::endl;
  return static_cast<std::size_t>(broken);
}

}  // namespace

int driver_check_command(std::span<const char* const> words) {
  CheckFlags options;
  Flags flags;
  flags.add("driver-check", options, kCheckFlags);
  const auto arguments = flags.parse(words, Positional::Allowed);
  if (const auto code = program::answer_words(flags, arguments, "capstan-dev driver-check", kCheckUsage))
    return *code;
  if (arguments->positional.size() != 1) {
    std::cerr << "capstan-dev driver-check: takes one ENDPOINT: unix:/PATH or https://HOST:PORT\n";
    return 2;
  }
  const auto broken = run_check(arguments->positional.front(), options);
  if (broken) return *broken == 0 ? 0 : 1;
  std::cerr << "capstan-dev driver-check: " << broken.error().describe() << "\n";
  return 2;
}

}  // namespace capstan::dev
