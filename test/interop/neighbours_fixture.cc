#include "test/interop/neighbours_fixture.h"

#include <fmt/format.h>
#include <httplib.h>

#include <fstream>

namespace capstan::envtest {
namespace {

using std::chrono::seconds;

constexpr std::string_view kKubernetes = "v1.36.0";
constexpr std::string_view kAdmins = "system:masters";

fs::path built() { return std::getenv("CAPSTAN_NEIGHBOURS"); }

}  // namespace

const std::vector<Neighbours::Neighbour>& Neighbours::all() {
  static const std::vector<Neighbour> neighbours = {{.provider = "bootstrap-kubeadm", .port = 9453},
                                                    {.provider = "control-plane-kubeadm", .port = 9463},
                                                    {.provider = "infrastructure-docker", .port = 9473}};
  return neighbours;
}

void Neighbours::SetUpTestSuite() {
  if (why_not() != nullptr || std::getenv("CAPSTAN_NEIGHBOURS") == nullptr) return;
  start_servers();
  if (HasFatalFailure()) return;
  install();
  if (HasFatalFailure()) return;
  start_installed_manager();
  for (const Neighbour& neighbour : all()) {
    if (HasFatalFailure()) return;
    start(neighbour);
  }
}

void Neighbours::install() {
  const auto packaged = package_into(in_folder("repository"));
  ASSERT_TRUE(packaged) << packaged.error().describe();
  offer_packages(built() / "repository");
  const std::string at = ":" + version();
  const std::string said =
      clusterctl({"init", "--core=cluster-api:" + std::string(kVersion), "--bootstrap=kubeadm" + at,
                  "--control-plane=kubeadm" + at, "--infrastructure=docker" + at});
  ASSERT_FALSE(said.starts_with("failed: ")) << said;
}

// Beside ours, in the configuration that scripts/package wrote.
void Neighbours::offer_packages(const fs::path& repository) {
  std::ofstream configuration(in_folder("repository/clusterctl.yaml"), std::ios::app);
  const auto offer = [&](std::string_view name, std::string_view type, std::string_view provider,
                         std::string_view file) {
    configuration << fmt::format("- name: {}\n  type: {}Provider\n  url: file://{}/{}/{}/{}\n", name, type,
                                 repository.string(), provider, version(), file);
  };
  offer("kubeadm", "Bootstrap", "bootstrap-kubeadm", "bootstrap-components.yaml");
  offer("kubeadm", "ControlPlane", "control-plane-kubeadm", "control-plane-components.yaml");
  offer("docker", "Infrastructure", "infrastructure-docker", "infrastructure-components.yaml");
}

void Neighbours::start(const Neighbour& neighbour) {
  const std::string name(neighbour.provider);
  point_webhooks(name, neighbour.port);
  const auto kubeconfig = servers_->kubeconfig_for(name, kAdmins);
  ASSERT_TRUE(kubeconfig) << kubeconfig.error().describe();
  const fs::path certificates = in_folder(name + "-certificates");
  fs::create_directories(certificates);
  fs::copy_file(servers_->certificates() / "apiserver.crt", certificates / "tls.crt");
  fs::copy_file(servers_->certificates() / "apiserver.key", certificates / "tls.key");
  auto process = ChildProcess::start(
      {.argv = {built() / name, "--kubeconfig=" + kubeconfig->string(), "--leader-elect=false",
                "--webhook-cert-dir=" + certificates.string(),
                fmt::format("--webhook-port={}", neighbour.port),
                fmt::format("--health-addr=127.0.0.1:{}", neighbour.port + 1), "--diagnostics-address=0"},
       .environment = {"POD_IP=127.0.0.1", "DOCKER_HOST=unix:///nothing.sock"}},
      in_folder(name + ".log"));
  ASSERT_TRUE(process) << process.error().describe();
  processes_.push_back(std::move(*process));
  ASSERT_TRUE(waited([&] { return processes_.back().has_ended() || answers(neighbour.port + 1); }) &&
              !processes_.back().has_ended())
      << content_of(processes_.back().log());
}

// Of the release that was built: the name of its folder.
std::string Neighbours::version() {
  return fs::directory_iterator(built() / "repository/bootstrap-kubeadm")->path().filename();
}

bool Neighbours::answers(int port) {
  httplib::Client probe("127.0.0.1", port);
  const auto answer = probe.Get("/readyz");
  return answer && answer->status == 200;
}

void Neighbours::TearDownTestSuite() {
  processes_.clear();
  InstalledManager::TearDownTestSuite();
}

void Neighbours::SetUp() {
  if (std::getenv("CAPSTAN_NEIGHBOURS") == nullptr)
    FAIL() << "CAPSTAN_NEIGHBOURS is not set: run this suite through scripts/envtest --interop";
  InstalledManager::SetUp();
}

void Neighbours::TearDown() {
  InstalledManager::TearDown();
  if (!HasFailure()) return;
  for (const ChildProcess& process : processes_)
    std::fputs(printed(run({.argv = {"tail", "-n", "15", process.log()}}, seconds(5))).c_str(), stderr);
}

std::string Neighbours::generated(const FleetWish& wish) {
  return clusterctl({"generate", "cluster", wish.name, "--target-namespace=default",
                     "--from=config/samples/in-memory/" + wish.api_version + ".yaml",
                     "--kubernetes-version=" + std::string(kKubernetes),
                     fmt::format("--control-plane-machine-count={}", wish.control_planes),
                     fmt::format("--worker-machine-count={}", wish.workers)});
}

void Neighbours::comes_up(const FleetWish& wish) {
  kubectl({"apply", "-f=-"}, generated(wish));
  eventually(condition_of("cluster/" + wish.name, "Available"), "True");
  // The control plane grows by one Machine at a time, and the Cluster is Available before it is complete.
  const auto wanted = static_cast<std::size_t>(wish.control_planes + wish.workers);
  EXPECT_TRUE(waited([&] { return machines_with_node(wish.name).size() == wanted; }));
}

void Neighbours::goes(const std::string& cluster) {
  kubectl({"delete", "cluster", cluster, "--wait=false"});
  eventually(
      {"get", "clusters", "--ignore-not-found", "-o=name", "--field-selector=metadata.name=" + cluster}, "");
  EXPECT_EQ(kubectl({"get", "machines,devmachines,kubeadmconfigs,machinesets,machinedeployments",
                     "-l=cluster.x-k8s.io/cluster-name=" + cluster, "-o=name"}),
            "");
}

std::vector<std::string> Neighbours::machines_with_node(const std::string& cluster) {
  return lines_of(
      kubectl({"get", "machines", "-l=cluster.x-k8s.io/cluster-name=" + cluster,
               "-o=jsonpath={range .items[?(@.status.nodeRef.name)]}{.metadata.name}{\"\\n\"}{end}"}));
}

std::vector<std::string> Neighbours::lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

void Neighbours::eventually(const std::vector<std::string>& get, const std::string& wanted) {
  std::string printed;
  EXPECT_TRUE(waited([&] { return (printed = kubectl(get)) == wanted; }))
      << get.back() << ": " << printed << ", not " << wanted;
}

std::vector<std::string> Neighbours::condition_of(const std::string& object, const std::string& type) {
  return {"get", object, "-o=jsonpath={.status.conditions[?(@.type==\"" + type + "\")].status}"};
}

}  // namespace capstan::envtest
