#include "cmd/dev/apiserver_command.h"

#include <csignal>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "api/schema/yaml.h"
#include "apiserver/http/body.h"
#include "apiserver/http/server.h"
#include "apiserver/status_error.h"
#include "base/options.h"
#include "base/try.h"
#include "cmd/dev/files.h"
#include "cmd/program/flags.h"
#include "net/file_limit.h"

namespace capstan::dev {
namespace {

constexpr std::uint64_t kDescriptors = 65536;  // a watch each

struct Options {
  std::string listen = "127.0.0.1:0";
  std::string write_kubeconfig = {};
  std::string crds = {};
  StringList token = {};
  std::int64_t seed = 1;
  std::int64_t history = 16384;
  StringList defect = {};
  bool list_defects = false;
};

constexpr std::array kFlags = {
    flag("listen", &Options::listen, "address and port to listen on; port 0 takes any free one"),
    flag("write-kubeconfig", &Options::write_kubeconfig,
         "file to write an administrator's kubeconfig to, once the server listens"),
    flag("crds", &Options::crds, "folder of CustomResourceDefinitions (*.yaml) to install first"),
    flag("token", &Options::token, "a bearer token that is let in as an administrator; may be repeated"),
    flag("seed", &Options::seed, "seed of uids and generated names"),
    flag("history", &Options::history, "changes per kind that a watch may lag behind before it gets 410"),
    flag("defect", &Options::defect, "switch on a seeded defect (test builds only); may be repeated"),
    flag("list-defects", &Options::list_defects, "print the names of the seeded defects and exit"),
};

constexpr std::string_view kUsage = R"(capstan-dev apiserver: the embedded Kubernetes API server

usage: capstan-dev apiserver --listen 127.0.0.1:PORT --write-kubeconfig FILE [flags]

Everything is kept in memory and gone when it ends (SIGINT or SIGTERM).
)";

struct Address {
  std::string host = {};
  std::uint16_t port = 0;
};

Result<Address> parse_address(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return fail(Code::Invalid, "--listen " + text + ": expected ADDRESS:PORT");
  int port = -1;
  std::istringstream(text.substr(colon + 1)) >> port;
  if (port < 0 || port > 65535)
    return fail(Code::Invalid, "--listen " + text + ": the port must be 0 to 65535");
  return Address{.host = text.substr(0, colon), .port = static_cast<std::uint16_t>(port)};
}

Result<apiserver::DefectSet> chosen_defects(const Options& options) {
  apiserver::DefectSet defects;
  for (const std::string& name : options.defect) {
    const auto defect = apiserver::parse_defect(name);
    if (!defect) return fail(Code::Invalid, "--defect " + name + ": no such defect (see --list-defects)");
    defects.add(*defect);
  }
  return defects;
}

Result<apiserver::ServerOptions> server_options(const Options& options) {
  const auto address = TRY(parse_address(options.listen));
  apiserver::ServerOptions server{.address = address.host, .port = address.port};
  for (const std::string& token : options.token)
    server.tokens.push_back({.token = token, .user = {.name = "admin", .groups = {"system:masters"}}});
  server.seed = static_cast<std::uint64_t>(options.seed);
  server.history = static_cast<std::size_t>(options.history);
  server.defects = TRY(chosen_defects(options));
  return server;
}

Result<void> install(apiserver::Api& api, const std::filesystem::path& file) {
  const auto text = TRY(read_file(file.string()));
  const auto documents = TRY(api::parse_yaml_documents(text));
  for (const auto& document : documents) {
    apiserver::Request request{.verb = apiserver::Verb::Create,
                               .group = "apiextensions.k8s.io",
                               .version = "v1",
                               .resource = "customresourcedefinitions",
                               .body = {.value = document}};
    const auto response = api.call(request);
    if (!response.ok()) return fail(Code::Invalid, file.filename().string() + ": " + response.text());
  }
  return {};
}

Result<void> install_folder(apiserver::Api& api, const std::string& folder) {
  if (folder.empty()) return {};
  std::error_code wrong;
  const std::filesystem::directory_iterator files(folder, wrong);
  if (wrong) return fail(Code::Invalid, "--crds " + folder + ": " + wrong.message());
  for (const auto& entry : files) {
    if (entry.path().extension() == ".yaml") TRY(install(api, entry.path()));
  }
  return {};
}

Result<void> write_kubeconfig(const apiserver::Server& server, const std::string& path) {
  if (path.empty()) return {};
  const std::string text = TRY(server.kubeconfig());
  if (const auto written = write_private_file(path, text); !written)
    return fail(written.error().context("--write-kubeconfig"));
  return {};
}

// Before any thread starts, so that all of them leave these signals to await_end().
sigset_t block_end_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return set;
}

void await_end(const sigset_t& signals) {
  int signal = 0;
  sigwait(&signals, &signal);
}

Result<void> serve(const Options& options) {
  const sigset_t signals = block_end_signals();
  if (const auto limit = net::raise_file_limit(kDescriptors); !limit)
    std::cerr << limit.error().describe() << "\n";
  SystemClock clock;
  SystemThreads threads;
  net::IoPool io;
  auto wanted = TRY(server_options(options));
  const auto server = TRY(apiserver::Server::start(io, clock, threads, std::move(wanted)));
  TRY(install_folder(server->api(), options.crds));
  TRY(write_kubeconfig(*server, options.write_kubeconfig));
  std::cout << "listening on " << server->url() << std::endl;
  if (!options.write_kubeconfig.empty())
    std::cout << "try: kubectl --kubeconfig " << options.write_kubeconfig << " get namespaces" << std::endl;
  await_end(signals);
  return {};
}

int list_defects() {
  for (const auto defect : apiserver::all_defects()) std::cout << apiserver::to_string(defect) << "\n";
  return 0;
}

}  // namespace

int apiserver_command(std::span<const char* const> words) {
  Options options;
  Flags flags;
  flags.add("API server", options, kFlags);
  const auto arguments = flags.parse(words);
  if (const auto code = program::answer_words(flags, arguments, "capstan-dev apiserver", kUsage))
    return *code;
  if (options.list_defects) return list_defects();
  const auto served = serve(options);
  if (served) return 0;
  std::cerr << "capstan-dev apiserver: " << served.error().describe() << "\n";
  return 1;
}

}  // namespace capstan::dev
