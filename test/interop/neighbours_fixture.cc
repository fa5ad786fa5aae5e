#include "test/interop/neighbours_fixture.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace capstan::envtest {
namespace {

using std::chrono::seconds;

constexpr std::string_view kKubernetes = "v1.36.0";
constexpr std::string_view kAdmins = "system:masters";
constexpr int kCorePort = 9443;

fs::path built() { return std::getenv("CAPSTAN_NEIGHBOURS"); }

}  // namespace

const std::vector<Neighbours::Neighbour>& Neighbours::all() {
  static const std::vector<Neighbour> neighbours = {{.provider = "bootstrap-kubeadm", .port = 9453},
                                                    {.provider = "control-plane-kubeadm", .port = 9463},
                                                    {.provider = "infrastructure-docker", .port = 9473}};
  return neighbours;
}

bool Neighbours::can_run() { return why_not() == nullptr && std::getenv("CAPSTAN_NEIGHBOURS") != nullptr; }

void Neighbours::SetUpTestSuite() {
  if (!can_run()) return;
  start_servers();
  if (!HasFatalFailure()) install();
  if (!HasFatalFailure()) start_installed_manager();
  if (!HasFatalFailure()) start_providers();
}

void Neighbours::install() {
  const auto packaged = package_into(in_folder("repository"));
  ASSERT_TRUE(packaged) << packaged.error().describe();
  offer_providers();
  init({"--core=cluster-api:" + std::string(kVersion)});
}

void Neighbours::offer_providers() {
  const fs::path repository = built() / "repository";
  offer("kubeadm", "Bootstrap", repository / "bootstrap-kubeadm" / version() / "bootstrap-components.yaml");
  offer("kubeadm", "ControlPlane",
        repository / "control-plane-kubeadm" / version() / "control-plane-components.yaml");
  offer("docker", "Infrastructure",
        repository / "infrastructure-docker" / version() / "infrastructure-components.yaml");
}

void Neighbours::offer(std::string_view name, std::string_view type, const fs::path& components) {
  std::ofstream configuration(in_folder("repository/clusterctl.yaml"), std::ios::app);
  configuration << fmt::format("- name: {}\n  type: {}Provider\n  url: file://{}\n", name, type,
                               components.string());
}

void Neighbours::init(const std::vector<std::string>& others) {
  const std::string at = ":" + version();
  std::vector<std::string> command = {"init", "--bootstrap=kubeadm" + at, "--control-plane=kubeadm" + at,
                                      "--infrastructure=docker" + at};
  command.insert(command.end(), others.begin(), others.end());
  const std::string said = clusterctl(std::move(command));
  ASSERT_FALSE(said.starts_with("failed: ")) << said;
}

void Neighbours::start_providers(const std::vector<std::string>& flags) {
  for (const Neighbour& neighbour : all()) {
    processes_.push_back(start(neighbour, built() / neighbour.provider, flags));
    if (HasFailure()) return;
  }
}

void Neighbours::start_upstream_core(const std::vector<std::string>& flags) {
  const char* upstream = std::getenv("CAPSTAN_UPSTREAM");
  ASSERT_NE(upstream, nullptr) << "CAPSTAN_UPSTREAM is not set: start with scripts/envtest --interop";
  core_ = start({.provider = "cluster-api", .port = kCorePort}, fs::path(upstream) / "core", flags);
}

ChildProcess Neighbours::start(const Neighbour& neighbour, const fs::path& program,
                               const std::vector<std::string>& flags) {
  const std::string name(neighbour.provider);
  point_webhooks(name, neighbour.port);
  const auto kubeconfig = servers_->kubeconfig_for(name, kAdmins);
  EXPECT_TRUE(kubeconfig) << kubeconfig.error().describe();
  if (!kubeconfig) return {};
  const fs::path certificates = in_folder(name + "-certificates");
  fs::create_directories(certificates);
  const auto anew = fs::copy_options::overwrite_existing;
  fs::copy_file(servers_->certificates() / "apiserver.crt", certificates / "tls.crt", anew);
  fs::copy_file(servers_->certificates() / "apiserver.key", certificates / "tls.key", anew);
  std::vector<std::string> command = {fs::absolute(program),
                                      "--kubeconfig=" + kubeconfig->string(),
                                      "--leader-elect=false",
                                      "--webhook-cert-dir=" + certificates.string(),
                                      fmt::format("--webhook-port={}", neighbour.port),
                                      fmt::format("--health-addr=127.0.0.1:{}", neighbour.port + 1),
                                      "--diagnostics-address=0"};
  command.insert(command.end(), flags.begin(), flags.end());
  auto started = ChildProcess::start(
      {.argv = std::move(command), .environment = {"POD_IP=127.0.0.1", "DOCKER_HOST=unix:///nothing.sock"}},
      in_folder(name + ".log"));
  EXPECT_TRUE(started) << started.error().describe();
  if (!started) return {};
  EXPECT_TRUE(waited([&] { return started->has_ended() || answers(neighbour.port + 1); }) &&
              !started->has_ended())
      << content_of(started->log());
  return std::move(*started);
}

// The name of its folder.
std::string Neighbours::version() {
  return fs::directory_iterator(built() / "repository/bootstrap-kubeadm")->path().filename();
}

bool Neighbours::answers(int port) {
  httplib::Client probe("127.0.0.1", port);
  const auto answer = probe.Get("/readyz");
  return answer && answer->status == 200;
}

void Neighbours::explain(std::span<const Explained> list, std::vector<fs::path> more_logs) {
  explained_.assign(list.begin(), list.end());
  explained_.insert(explained_.end(), std::begin(kBesideNeighbours), std::end(kBesideNeighbours));
  more_logs_ = std::move(more_logs);
}

void Neighbours::TearDownTestSuite() {
  for (const ChildProcess& process : processes_) more_logs_.push_back(process.log());
  more_logs_.push_back(core_.log());
  more_logs_.push_back(manager_.log());
  processes_.clear();
  core_.kill();
  manager_.kill();
  if (servers_) expect_explained(troubles(), explained_);
  InstalledManager::TearDownTestSuite();
}

Lines Neighbours::troubles() {
  Lines all = troubles_of(*servers_, more_logs_);
  std::ranges::move(refusals_of_others(requests_to(*servers_)), std::back_inserter(all));
  return all;
}

void Neighbours::SetUp() {
  if (std::getenv("CAPSTAN_NEIGHBOURS") == nullptr)
    FAIL() << "CAPSTAN_NEIGHBOURS is not set: run this suite through scripts/envtest --interop";
  InstalledManager::SetUp();
}

void Neighbours::TearDown() {
  InstalledManager::TearDown();
  if (!HasFailure()) return;
  const auto show = [](const ChildProcess& process) {
    std::fputs(text_of(run({.argv = {"tail", "-n", "15", process.log()}}, seconds(5))).c_str(), stderr);
  };
  for (const ChildProcess& process : processes_) show(process);
  if (!core_.log().empty()) show(core_);
}

std::string Neighbours::generated(const FleetWish& wish) {
  return clusterctl({"generate", "cluster", wish.name, "--target-namespace=default",
                     "--from=config/samples/in-memory/" + wish.api_version + ".yaml",
                     "--kubernetes-version=" + std::string(kKubernetes),
                     fmt::format("--control-plane-machine-count={}", wish.control_planes),
                     fmt::format("--worker-machine-count={}", wish.workers)});
}

FleetWalk Neighbours::walk(const std::string& cluster) {
  return {cluster,
          [](std::vector<std::string> arguments, std::string input) {
            return kubectl(std::move(arguments), std::move(input));
          },
          kPatience};
}

void Neighbours::comes_up(const FleetWish& wish) {
  walk(wish.name).comes_up(generated(wish), static_cast<std::size_t>(wish.control_planes) +
                                                static_cast<std::size_t>(wish.workers));
}

void Neighbours::goes(const std::string& cluster) {
  walk(cluster).goes();
  EXPECT_EQ(kubectl({"get", "devmachines,kubeadmconfigs", "-l=cluster.x-k8s.io/cluster-name=" + cluster,
                     "-o=name"}),
            "");
}

std::vector<std::string> Neighbours::machines_with_node(const std::string& cluster) {
  return walk(cluster).machines_with_node();
}

std::vector<std::string> Neighbours::lines_of(const std::string& text) { return FleetWalk::lines_of(text); }

void Neighbours::eventually(const std::vector<std::string>& get, const std::string& wanted) {
  walk({}).prints(get, wanted);
}

std::vector<std::string> Neighbours::condition_of(const std::string& object, const std::string& type) {
  return FleetWalk::condition_of(object, type);
}

}  // namespace capstan::envtest
