#include "test/conformance/embedded.h"

#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/schema/yaml.h"
#include "base/base64.h"
#include "base/threads.h"
#include "test/envtest/child_process.h"

namespace capstan::conformance {
namespace {

constexpr auto kStartLimit = std::chrono::seconds(30);
constexpr const char* kToken = "conformance-administrator";

std::string text_of(const std::filesystem::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

}  // namespace

struct Embedded::State {
  std::filesystem::path folder;
  envtest::ChildProcess process;
  Server server;
  ~State() {
    process.kill();
    std::filesystem::remove_all(folder);
  }
};

Embedded::Embedded(std::unique_ptr<State> state) : state_(std::move(state)) {}
Embedded::~Embedded() = default;
const Server& Embedded::server() const { return state_->server; }
bool Embedded::runs() const { return !state_->process.has_ended(); }

namespace {

std::filesystem::path fresh_folder() {
  std::string pattern = (std::filesystem::temp_directory_path() / "capstan-embedded-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw Broken("can't make a temporary folder");
  return pattern;
}

envtest::Command command(const EmbeddedOptions& options, const std::filesystem::path& kubeconfig) {
  std::vector<std::string> argv = {options.program,      "apiserver",         "--listen", "127.0.0.1:0",
                                   "--write-kubeconfig", kubeconfig.string(), "--token",  kToken};
  if (!options.defect.empty()) argv.insert(argv.end(), {"--defect", options.defect});
  return {.argv = argv};
}

// The kubeconfig is written last, in one piece, when the server listens.
void await_kubeconfig(const std::filesystem::path& path, envtest::ChildProcess& process) {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline limit = Deadline::in(clock, kStartLimit);
  while (!std::filesystem::exists(path)) {
    if (process.has_ended() || limit.passed(clock.steady_now()))
      throw Broken("capstan-dev apiserver did not come up: " + text_of(process.log()));
    threads.pause(Deadline::in(clock, std::chrono::milliseconds(10)));
  }
}

void read_kubeconfig(const std::filesystem::path& path, Server& server,
                     const std::filesystem::path& ca_path) {
  const auto documents = api::parse_yaml_documents(text_of(path));
  if (!documents || documents->empty()) throw Broken("the kubeconfig can't be read");
  const json::value& config = documents->front();
  const std::string url(at(config, "clusters[0].cluster.server").as_string());
  server.port = std::atoi(url.substr(url.rfind(':') + 1).c_str());
  const auto ca =
      base64_decode(std::string(at(config, "clusters[0].cluster.certificate-authority-data").as_string()));
  if (!ca) throw Broken("the kubeconfig's certificate authority is no base64");
  std::ofstream(ca_path) << *ca;
}

}  // namespace

std::unique_ptr<Embedded> Embedded::start(const EmbeddedOptions& options) {
  auto state = std::make_unique<State>();
  state->folder = fresh_folder();
  const auto kubeconfig = state->folder / "kubeconfig";
  auto process = envtest::ChildProcess::start(command(options, kubeconfig), state->folder / "log");
  if (!process) throw Broken(process.error().describe());
  state->process = std::move(*process);
  await_kubeconfig(kubeconfig, state->process);
  state->server = {.name = "embedded",
                   .ca_path = (state->folder / "ca.pem").string(),
                   .token = kToken,
                   .kubeconfig_path = kubeconfig.string(),
                   .kubectl_path = options.kubectl};
  read_kubeconfig(kubeconfig, state->server, state->server.ca_path);
  return std::unique_ptr<Embedded>(new Embedded(std::move(state)));
}

std::vector<std::string> defect_names(const std::string& program) {
  const auto listed =
      envtest::output_of({.argv = {program, "apiserver", "--list-defects"}}, std::chrono::seconds(10));
  if (!listed) throw Broken(listed.error().describe());
  std::vector<std::string> names;
  std::stringstream lines(*listed);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty()) names.push_back(line);
  return names;
}

}  // namespace capstan::conformance
