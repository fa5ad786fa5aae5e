// How long `capstan` takes to store a thousand MachineSets anew, from its start until their definition says
// that they are: on a real kube-apiserver, where an earlier release has stored them as v1beta1.
#include <fmt/format.h>

#include <boost/json.hpp>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "api/schema/yaml.h"
#include "base/threads.h"
#include "test/bench/bench_fleet.h"
#include "test/envtest/older_storage.h"
#include "test/envtest/pki.h"
#include "test/envtest/real_servers.h"
#include "test/envtest/reserved_port.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;

constexpr int kStored = 1000;
constexpr auto kMigratedWithin = std::chrono::minutes(3);
constexpr const char* kStoredCrd = "crd/machinesets.cluster.x-k8s.io";

class StoredSets {
 public:
  explicit StoredSets(const Place& place)
      : servers_(must(envtest::RealServers::start())), folder_(must(envtest::ScratchFolder::create())) {
    const auto pki = must(envtest::Pki::create(folder_.path() / "pki"));
    certificate_ = must(pki.issue_server("webhooks"));
    port_ = must(envtest::ReservedPort::reserve()).number();
    kubectl({"apply", "--server-side", "-f", place.crds});
    install(envtest::stored_as_v1beta1(definition(place)));
    kubectl({"wait", "--for=condition=Established", "--timeout=50s", "crd", "--all"});
    kubectl({"create", "--validate=false", "-f", "-"}, envtest::machine_sets_of_v1beta1(kStored));
    install(
        envtest::converted_by(definition(place), {.url = fmt::format("https://127.0.0.1:{}/convert", port_),
                                                  .ca_pem = envtest::content_of(pki.ca().certificate)}));
  }

  void start_manager(const Place& place) {
    manager_ = must(envtest::ChildProcess::start(
        {.argv = {place.programs + "/capstan", "--kubeconfig", servers_->kubeconfig_path(),
                  "--controllers=crdmigrator", "--health-addr=0", "--diagnostics-address=0",
                  fmt::format("--webhook-port={}", port_),
                  "--webhook-cert-dir=" + certificate_.certificate.parent_path().string(),
                  "--webhook-cert-name=" + certificate_.certificate.filename().string(),
                  "--webhook-key-name=" + certificate_.key.filename().string()}},
        folder_.path() / "capstan.log"));
  }
  bool is_migrated() const {
    return kubectl({"get", kStoredCrd, "-o=jsonpath={.status.storedVersions}"}) == R"(["v1beta2"])";
  }
  std::string log() const { return envtest::content_of(manager_.log()); }

 private:
  static json::value definition(const Place& place) {
    std::ifstream file(place.crds + "/cluster.x-k8s.io_machinesets.yaml");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return must(api::parse_yaml(text));
  }
  void install(const json::value& crd) const {
    kubectl({"apply", "--server-side", "--force-conflicts", "-f", "-"}, json::serialize(crd));
  }
  std::string kubectl(std::vector<std::string> arguments, std::string input = {}) const {
    const auto outcome = must(servers_->run_kubectl(std::move(arguments), std::move(input)));
    if (outcome.exit_code != 0) throw std::runtime_error(outcome.err);
    return outcome.out;
  }

  std::unique_ptr<envtest::RealServers> servers_;
  envtest::ScratchFolder folder_;
  envtest::KeyPair certificate_;
  std::uint16_t port_ = 0;
  envtest::ChildProcess manager_;
};

}  // namespace

double migration_seconds_per_1000(const Place& place) {
  StoredSets sets(place);
  const SystemClock clock;
  SystemThreads threads;
  const SteadyTime begun = clock.steady_now();
  sets.start_manager(place);
  for (const Deadline limit = Deadline::in(clock, kMigratedWithin); !sets.is_migrated();) {
    if (limit.passed(clock.steady_now())) throw std::runtime_error("not migrated: " + sets.log());
    threads.pause(Deadline::in(clock, std::chrono::milliseconds(100)));
  }
  return std::chrono::duration<double>(clock.steady_now() - begun).count() * 1000 / kStored;
}

}  // namespace capstan::bench
