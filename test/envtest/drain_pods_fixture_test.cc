#include "test/envtest/drain_pods_fixture.h"

#include <algorithm>
#include <boost/json.hpp>
#include <limits>
#include <tuple>
#include <utility>

#include "api/names.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/connect.h"

namespace capstan::envtest {

namespace json = boost::json;

namespace {

constexpr std::int64_t kRoomOnANode = 14;
constexpr auto kPatience = std::chrono::seconds(20);
constexpr auto kLookAgain = std::chrono::milliseconds(200);

const json::value kRunning = {
    {"status", {{"phase", "Running"}, {"conditions", json::array{{{"type", "Ready"}, {"status", "True"}}}}}}};

PodEvent event_of(const api::Pod& pod) {
  return {.name = pod.metadata.name.str(),
          .app = std::string(pod.metadata.labels.value_or_empty("app")),
          .ready = pod.ready(),
          .deleting = pod.metadata.deleting(),
          .version = pod.metadata.resource_version.number()};
}

bool takes_pods(const api::Node& node) {
  if (node.metadata.name.view().contains("control-plane")) return false;
  const auto* ready = node.condition(api::condition::kReady);
  return !node.spec.unschedulable && !node.metadata.deleting() && ready != nullptr &&
         ready->status == api::status::kTrue;
}

}  // namespace

Kubelets::Kubelets(const std::filesystem::path& kubeconfig) {
  const auto connection = kubeconfig::load(kubeconfig);
  expect(connection);
  if (!connection) return;
  auto client = kube::RemoteClient::make({io_, threads_, clock_}, *connection);
  expect(client);
  if (!client) return;
  client_ = std::move(*client);
  watcher_ = std::make_unique<kube::Watcher<api::Pod>>(loop_, *client_,
                                                       kube::WatchTarget{.resource = kube::resources::pods()},
                                                       static_cast<kube::WatchHandler<api::Pod>&>(*this), 1);
  watcher_->start();
  thread_ = threads_.spawn("kubelets", [this](const std::stop_token& stop) { work(stop); });
}

Kubelets::~Kubelets() {
  if (watcher_) watcher_->stop();
  thread_.reset();
}

std::vector<std::string> Kubelets::refusals() const {
  return desk_.with([](const Desk& desk) { return desk.refusals; });
}

std::vector<PodEvent> Kubelets::history() const {
  return desk_.with([](const Desk& desk) { return desk.history; });
}

void Kubelets::on_delete(api::Pod&& pod) {
  desk_.with([&](Desk& desk) {
    desk.history.push_back(event_of(pod));
    desk.history.back().gone = true;
    desk.news.erase(pod.metadata.name.str());
    desk.placed.erase(pod.metadata.name.str());
  });
}

void Kubelets::note(api::Pod&& pod) {
  desk_.with([&](Desk& desk) {
    desk.history.push_back(event_of(pod));
    if (!pod.spec.node_name.empty()) desk.placed[pod.metadata.name.str()] = pod.spec.node_name.str();
    desk.news.insert_or_assign(pod.metadata.name.str(), std::move(pod));
  });
  news_.notify();
}

void Kubelets::work(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const auto seen = news_.count();
    const auto pods = desk_.with([](Desk& desk) { return std::exchange(desk.news, {}); });
    bool all_placed = true;
    for (const auto& [name, pod] : pods) all_placed = look_after(pod) && all_placed;
    if (!pods.empty() && all_placed) continue;
    threads_.wait(news_, seen, all_placed ? Deadline::never(stop) : Deadline::in(clock_, kLookAgain, stop));
  }
}

// False when there was no Node for it: it is looked at again.
bool Kubelets::look_after(const api::Pod& pod) {
  const Deadline soon = Deadline::in(clock_, kPatience);
  if (pod.spec.node_name.empty()) return place(pod);
  if (pod.metadata.deleting()) {
    const auto ended = client_->remove(kube::resources::pods(), kube::key_of(pod),
                                       {.uid = pod.metadata.uid.str(), .grace_period_seconds = 0}, soon);
    if (ended || (ended.error().code != Code::NotFound && ended.error().code != Code::Conflict))
      expect(ended);
  } else if (!pod.ready()) {
    const auto running = client_->patch(kube::resources::pods(), kube::key_of(pod), kRunning,
                                        {.type = kube::PatchType::Strategic, .subresource = "status"}, soon);
    if (running || running.error().code != Code::NotFound) expect(running);
  }
  return true;
}

bool Kubelets::place(const api::Pod& pod) {
  const std::string node = choose_node();
  const std::string name = pod.metadata.name.str();
  if (node.empty()) {
    desk_.with([&](Desk& desk) { desk.news.try_emplace(name, pod); });
    return false;
  }
  desk_.with([&](Desk& desk) { desk.placed[name] = node; });
  expect(
      client_->post_path("/api/v1/namespaces/" + pod.metadata.namespace_.str() + "/pods/" + name + "/binding",
                         {{"apiVersion", "v1"},
                          {"kind", "Binding"},
                          {"metadata", {{"name", name}}},
                          {"target", {{"kind", "Node"}, {"name", node}}}},
                         Deadline::in(clock_, kPatience)));
  return true;
}

std::string Kubelets::choose_node() {
  const auto nodes = kube::list<api::Node>(*client_, {}, Deadline::in(clock_, kPatience));
  if (!nodes) {
    expect(nodes);
    return {};
  }
  std::map<std::string, std::int64_t> load;
  desk_.with([&](const Desk& desk) {
    for (const auto& [pod, node] : desk.placed) ++load[node];
  });
  const auto rank = [&](const api::Node& node) {
    const std::int64_t pods = load[node.metadata.name.str()];
    const std::int64_t age = prefer_young_ ? -node.metadata.creation_timestamp.unix_seconds() : 0;
    return std::tuple{pods >= kRoomOnANode, age, pods, node.metadata.name.view()};
  };
  const api::Node* best = nullptr;
  for (const api::Node& node : nodes->items) {
    if (takes_pods(node) && (best == nullptr || rank(node) < rank(*best))) best = &node;
  }
  return best == nullptr ? std::string() : best->metadata.name.str();
}

template <typename T>
void Kubelets::expect(const Result<T>& result) {
  if (!result) desk_.with([&](Desk& desk) { desk.refusals.push_back(result.error().describe()); });
}

}  // namespace capstan::envtest
