#include "test/simulation/workload_servers.h"

#include <charconv>

#include "base/try.h"
#include "net/pki.h"
#include "test/fakes/relay_client.h"

namespace capstan::simulation {
namespace {

using infrastructure::sim::ControlPlane;

// One for all seeds: making keys takes milliseconds, and nothing depends on which they are.
const net::KeyAndCertificate& authority() {
  static const net::KeyAndCertificate made = [] {
    const WallTime begin = std::chrono::sys_days(std::chrono::year(2025) / 1 / 1);
    return net::new_ca("simulated", begin, begin + std::chrono::days(36500)).value();
  }();
  return made;
}

std::int32_t port_of(std::string_view server) {
  const std::string_view digits = server.substr(server.rfind(':') + 1);
  std::int32_t port = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), port);
  return port;
}

}  // namespace

// What a dial gives.
class WorkloadServers::Line final : public fakes::RelayClient {
 public:
  Line(WorkloadServers& owner, kube::Client& network, std::int32_t port)
      : RelayClient(network), owner_(owner), port_(port) {}

 protected:
  std::optional<Error> sending(const fakes::Asked&) override {
    if (owner_.refused()) return Error{.code = Code::Unauthorized, .message = "Unauthorized"};
    const auto cluster = owner_.ports_.with([&](const auto& ports) { return ports.at(port_); });
    if (!owner_.lost() && owner_.planes_.client(cluster) != nullptr) return {};
    return Error{.code = Code::Unavailable, .message = "connection refused"};
  }

 private:
  WorkloadServers& owner_;
  const std::int32_t port_;
};

WorkloadServers::WorkloadServers(const Clock& clock, Threads& threads, std::uint64_t seed)
    : clock_(clock), planes_(clock, threads, seed) {}

Result<ControlPlane> WorkloadServers::ensure(const kube::ObjectKey& cluster, const Deadline& deadline) {
  ControlPlane plane = TRY(planes_.ensure(cluster, deadline));
  plane.authority = authority();
  ports_.with([&](auto& ports) { ports[plane.port] = cluster; });
  return plane;
}

Result<void> WorkloadServers::remove(const kube::ObjectKey& cluster, const Deadline& deadline) {
  return planes_.remove(cluster, deadline);
}

std::shared_ptr<kube::Client> WorkloadServers::client(const kube::ObjectKey& cluster) {
  return planes_.client(cluster);
}

kubeconfig::Dial WorkloadServers::dial(Network network) {
  return [this, network = std::move(network)](
             const kube::Connection& to, const kubeconfig::Limits&) -> Result<std::unique_ptr<kube::Client>> {
    const std::int32_t port = port_of(to.server);
    const auto cluster = ports_.with([&](const auto& ports) -> std::optional<kube::ObjectKey> {
      const auto found = ports.find(port);
      return found == ports.end() ? std::nullopt : std::optional(found->second);
    });
    if (!cluster) return fail(Code::Unavailable, "no such host: " + to.server);
    const auto server = planes_.client(*cluster);
    if (server == nullptr) return fail(Code::Unavailable, "connection refused");
    return std::make_unique<Line>(*this, network(*server), port);
  };
}

}  // namespace capstan::simulation
