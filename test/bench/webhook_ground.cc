#include "test/bench/webhook_ground.h"

#include <fmt/format.h>
#include <httplib.h>
#include <unistd.h>

#include <boost/json.hpp>
#include <chrono>
#include <fstream>
#include <stdexcept>

#include "base/threads.h"
#include "test/bench/bench_fleet.h"
#include "test/builders/documents.h"
#include "test/envtest/pki.h"
#include "test/envtest/reserved_port.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;

constexpr auto kReadyWithin = std::chrono::seconds(30);

std::uint16_t free_port() { return must(envtest::ReservedPort::reserve()).number(); }

json::object named(std::string_view kind_field, std::string_view kind) {
  return {{"group", "cluster.x-k8s.io"}, {"version", "v1beta2"}, {kind_field, kind}};
}

std::string admission_review() {
  return json::serialize(json::object{
      {"kind", "AdmissionReview"},
      {"apiVersion", "admission.k8s.io/v1"},
      {"request", json::object{{"uid", "705ab4f5-6393-11e8-b7cc-42010a800002"},
                               {"kind", named("kind", "MachineDeployment")},
                               {"resource", named("resource", "machinedeployments")},
                               {"requestKind", named("kind", "MachineDeployment")},
                               {"requestResource", named("resource", "machinedeployments")},
                               {"name", "x1"},
                               {"namespace", "default"},
                               {"operation", "CREATE"},
                               {"userInfo", {{"username", "admin"}}},
                               {"object", json::parse(builders::full_machine_deployment())},
                               {"oldObject", nullptr},
                               {"dryRun", false},
                               {"options", {{"kind", "CreateOptions"}, {"apiVersion", "meta.k8s.io/v1"}}}}}});
}

json::object machine(int number) {
  json::object made = json::parse(builders::full_machine()).as_object();
  made["metadata"].as_object()["name"] = fmt::format("machine-{}", number);
  auto& spec = made["spec"].as_object();
  spec["infrastructureRef"] = {{"apiGroup", "infrastructure.cluster.x-k8s.io"},
                               {"kind", "DriverMachine"},
                               {"name", fmt::format("m-{}", number)}};
  spec["bootstrap"] = {{"dataSecretName", "s"}};
  return made;
}

}  // namespace

std::unique_ptr<conformance::Embedded> embedded_with_crds(const Place& place) {
  auto started = conformance::Embedded::start({.program = place.programs + "/capstan-dev"});
  conformance::install_kinds(started->server(), place.crds);
  return started;
}

WebhookGround::WebhookGround(const Place& place)
    : server_(embedded_with_crds(place)),
      folder_(must(envtest::ScratchFolder::create())),
      webhook_port_(free_port()),
      probe_port_(free_port()) {
  start_manager(place);
  await_ready();
}

void WebhookGround::start_manager(const Place& place) {
  const auto pki = must(envtest::Pki::create(folder_.path() / "pki"));
  const auto certificate = must(pki.issue_server("webhooks"));
  ca_ = pki.ca().certificate;
  manager_ = must(envtest::ChildProcess::start(
      {.argv = {place.programs + "/capstan", "--kubeconfig", server_->server().kubeconfig_path,
                "--diagnostics-address=0", fmt::format("--health-addr=127.0.0.1:{}", probe_port_),
                fmt::format("--webhook-port={}", webhook_port_),
                "--webhook-cert-dir=" + certificate.certificate.parent_path().string(),
                "--webhook-cert-name=" + certificate.certificate.filename().string(),
                "--webhook-key-name=" + certificate.key.filename().string()}},
      folder_.path() / "capstan.log"));
}

void WebhookGround::await_ready() {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, kReadyWithin);
  httplib::Client probes("127.0.0.1", probe_port_);
  for (;;) {
    const auto answer = probes.Get("/readyz");
    if (answer && answer->status == 200) return;
    if (manager_.has_ended() || deadline.passed(clock.steady_now()))
      throw std::runtime_error("capstan does not become ready: " + envtest::content_of(manager_.log()));
    threads.pause(Deadline::in(clock, std::chrono::milliseconds(20)));
  }
}

ReviewEndpoint WebhookGround::reviews() const {
  return {.port = webhook_port_,
          .ca_file = ca_.string(),
          .paths = {"/mutate-cluster-x-k8s-io-v1beta2-machinedeployment",
                    "/validate-cluster-x-k8s-io-v1beta2-machinedeployment"},
          .body = admission_review()};
}

double WebhookGround::manager_resident_mb() const {
  std::ifstream pages(fmt::format("/proc/{}/statm", manager_.pid()));
  double all = 0;
  double resident = 0;
  if (!(pages >> all >> resident))
    throw std::runtime_error("capstan has ended: " + envtest::content_of(manager_.log()));
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

std::string conversion_review(int machines) {
  json::array objects;
  for (int i = 0; i < machines; ++i) objects.push_back(machine(i));
  return json::serialize(json::object{
      {"apiVersion", "apiextensions.k8s.io/v1"},
      {"kind", "ConversionReview"},
      {"request",
       {{"uid", "u"}, {"desiredAPIVersion", "cluster.x-k8s.io/v1beta1"}, {"objects", std::move(objects)}}}});
}

}  // namespace capstan::bench
