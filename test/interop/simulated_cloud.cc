#include "test/interop/simulated_cloud.h"

#include <fmt/format.h>
#include <httplib.h>
#include <sys/socket.h>

#include <boost/json.hpp>
#include <fstream>
#include <utility>

#include "base/base64.h"
#include "base/threads.h"
#include "base/try.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr auto kPatience = std::chrono::seconds(30);
constexpr auto kLookAgain = std::chrono::milliseconds(50);
constexpr std::string_view kList = R"({{"timeoutMilliseconds":5000,"credentials":{{"account":"{}"}}}})";

std::map<std::string, std::string> vms_in(const json::value& answer) {
  std::map<std::string, std::string> found;
  const auto* list = answer.as_object().if_contains("vms");
  if (list == nullptr) return found;  // so an empty list is written
  for (const json::value& vm : list->as_array())
    found.emplace(vm.at("name").as_string(), vm.at("providerID").as_string());
  return found;
}

}  // namespace

Result<SimulatedCloud> SimulatedCloud::start(fs::path programs, fs::path folder) {
  SimulatedCloud cloud(std::move(programs), std::move(folder));
  cloud.process_ = TRY(ChildProcess::start(
      {.argv = {cloud.programs_ / "capstan-dev", "driver", "--listen=unix:" + cloud.socket().string()}},
      cloud.folder_ / "cloud.log"));
  TRY(cloud.await());
  std::ofstream(cloud.folder_ / "drivers.yaml")
      << fmt::format("drivers: [{{name: simulated, endpoint: 'unix:{}'}}]\n", cloud.socket().string());
  return cloud;
}

Result<void> SimulatedCloud::await() const {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, kPatience);
  while (!deadline.passed(clock.steady_now())) {
    if (content_of(process_.log()).find("ready") != std::string::npos) return {};
    threads.pause(Deadline::in(clock, kLookAgain));
  }
  return fail(Code::Unavailable, "the simulated cloud does not run: " + content_of(process_.log()));
}

Result<ChildProcess> SimulatedCloud::start_provider(const fs::path& kubeconfig, std::string_view name) const {
  return ChildProcess::start({.argv = {programs_ / "capstan-provider", "--kubeconfig=" + kubeconfig.string(),
                                       "--drivers=" + (folder_ / "drivers.yaml").string(), "--health-addr=0",
                                       "--diagnostics-address=0"}},
                             folder_ / fmt::format("{}.log", name));
}

Result<std::map<std::string, std::string>> SimulatedCloud::vms(std::string_view account) const {
  httplib::ClientImpl client(socket());
  client.set_address_family(AF_UNIX);
  client.set_default_headers({{"Host", "driver"}});  // instead of the path
  const std::string body = fmt::format(kList, base64_encode(account));
  const auto answer = client.Post("/v1/list", body, "application/json");
  if (!answer) return fail(Code::Unavailable, "list VMs: " + httplib::to_string(answer.error()));
  if (answer->status != 200) return fail(Code::Internal, "list VMs: " + answer->body);
  return vms_in(json::parse(answer->body));
}

std::string node_status(std::string_view ready) {
  json::array conditions;
  for (const std::string_view pressure : {"MemoryPressure", "DiskPressure", "PIDPressure"})
    conditions.push_back(json::object{{"type", pressure}, {"status", "False"}, {"reason", "Test"}});
  conditions.push_back(json::object{{"type", "Ready"}, {"status", ready}, {"reason", "Test"}});
  return json::serialize(json::object{{"conditions", std::move(conditions)}});
}

}  // namespace capstan::envtest
