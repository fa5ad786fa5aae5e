#include "test/bench/convert_list.h"

#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/base64.h"
#include "base/threads.h"
#include "test/bench/bench_fleet.h"

namespace capstan::bench {
namespace {

namespace json = boost::json;
using std::chrono::milliseconds;

constexpr int kLists = 11;
constexpr auto kEffectWithin = std::chrono::seconds(60);
constexpr std::string_view kOldMachines = "/apis/cluster.x-k8s.io/v1beta1/namespaces/default/machines";
constexpr std::string_view kConverted = "cluster.x-k8s.io/conversion-data";

void kubectl(const envtest::RealServers& servers, std::vector<std::string> arguments,
             std::string input = {}) {
  const auto outcome = must(servers.run_kubectl(std::move(arguments), std::move(input)));
  if (outcome.exit_code != 0) throw std::runtime_error(outcome.err);
}

void convert_at(const envtest::RealServers& servers, std::uint16_t port) {
  const json::value conversion = {{"strategy", "Webhook"},
                                  {"webhook",
                                   {{"clientConfig",
                                     {{"url", fmt::format("https://127.0.0.1:{}/convert", port)},
                                      {"caBundle", base64_encode(servers.ca_pem())}}},
                                    {"conversionReviewVersions", {"v1"}}}}};
  const json::value patch = {{"spec", {{"conversion", conversion}}}};
  kubectl(servers,
          {"patch", "crd/machines.cluster.x-k8s.io", "--type=merge", "-p=" + json::serialize(patch)});
}

class Lister {
 public:
  explicit Lister(const envtest::RealServers& servers)
      : client_("127.0.0.1", std::stoi(servers.url().substr(servers.url().rfind(':') + 1))) {
    client_.enable_server_certificate_verification(false);  // the API server's is not what is measured
    client_.set_bearer_token_auth(servers.admin_token());
    client_.set_keep_alive(true);
    client_.set_read_timeout(std::chrono::seconds(60));
  }
  std::string list() {
    auto body = list_or_later();
    if (!body) throw std::runtime_error("the API server is too busy for a list");
    return std::move(*body);
  }
  // API servers learn of a changed definition when they do.
  template <typename Condition>
  void list_until(Condition&& condition) {
    SystemThreads threads;
    const auto holds = [&](const std::optional<std::string>& list) { return list && condition(*list); };
    for (const Deadline limit = Deadline::in(clock_, kEffectWithin); !holds(list_or_later());) {
      if (limit.passed(clock_.steady_now())) throw std::runtime_error("the conversion takes no effect");
      threads.pause(Deadline::in(clock_, milliseconds(200)));
    }
  }
  double median_ms() {
    std::vector<double> all;
    for (int i = 0; i < kLists; ++i) {
      const auto begun = clock_.steady_now();
      list();
      all.push_back(std::chrono::duration<double, std::milli>(clock_.steady_now() - begun).count());
    }
    std::ranges::sort(all);
    return all[all.size() / 2];
  }

 private:
  // None: it is busy with a definition that has just changed.
  std::optional<std::string> list_or_later() {
    const auto answer = client_.Get(std::string(kOldMachines));
    if (!answer) throw std::runtime_error(httplib::to_string(answer.error()));
    if (answer->status == 429) return std::nullopt;
    if (answer->status != 200) throw std::runtime_error(answer->body.substr(0, 500));
    return answer->body;
  }

  const SystemClock clock_;
  httplib::SSLClient client_;
};

}  // namespace

void print_list_times(const ListedMachines& listed) {
  const json::value manifests = {{"apiVersion", "v1"}, {"kind", "List"}, {"items", listed.machines}};
  kubectl(listed.management, {"create", "--validate=false", "-f=-"}, json::serialize(manifests));
  Lister lister(listed.management);
  convert_at(listed.management, listed.upstream_port);
  lister.list_until([](const std::string& list) { return list.find(kConverted) != std::string::npos; });
  const double theirs = lister.median_ms();
  convert_at(listed.management, listed.our_port);
  const int before = listed.our_reviews();
  lister.list_until([&](const std::string&) { return listed.our_reviews() > before; });
  const double ours = lister.median_ms();
  say(
      fmt::format("a list of {} Machines in v1beta1 through kube-apiserver: ours {:.1f} ms, upstream {:.1f} "
                  "ms, {:.2f} of upstream's",
                  listed.machines.size(), ours, theirs, ours / theirs));
}

}  // namespace capstan::bench
