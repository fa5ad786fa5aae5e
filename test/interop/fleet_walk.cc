#include "test/interop/fleet_walk.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "base/threads.h"

namespace capstan::envtest {

using ::testing::Each;
using ::testing::IsEmpty;

void FleetWalk::comes_up(const std::string& manifest, std::size_t machines) const {
  kubectl({"apply", "-f=-"}, manifest);
  is_up(machines);
}

// The control plane grows by one Machine at a time, and the Cluster is Available before it is complete.
void FleetWalk::is_up(std::size_t machines) const {
  prints(condition_of("cluster/" + cluster_, "Available"), "True");
  EXPECT_TRUE(eventually([&] { return machines_with_node().size() == machines; }))
      << kubectl({"get", "machines", "-o=wide"});
}

void FleetWalk::scales(const std::string& deployment, int replicas) const {
  kubectl({"scale", "machinedeployment/" + deployment, "--replicas=" + std::to_string(replicas)});
  prints({"get", "machinedeployment/" + deployment, "-o=jsonpath={.status.availableReplicas}"},
         std::to_string(replicas));
}

void FleetWalk::rolls(const std::string& deployment, const std::string& version) const {
  const std::string object = "machinedeployment/" + deployment;
  kubectl({"patch", object, "--type=merge",
           R"(-p={"spec":{"template":{"spec":{"version":")" + version + R"("}}}})"});
  prints(condition_of(object, "RollingOut"), "True");
  prints(condition_of(object, "RollingOut"), "False");
  EXPECT_THAT(lines_of(kubectl({"get", "machines", "-l=cluster.x-k8s.io/deployment-name=" + deployment,
                                "-o=jsonpath={range .items[*]}{.spec.version}{\"\\n\"}{end}"})),
              Each(version));
}

void FleetWalk::pool_scales(const std::string& pool, int replicas) const {
  kubectl({"scale", "machinepool/" + pool, "--replicas=" + std::to_string(replicas)});
  prints({"get", "machinepool/" + pool, "-o=jsonpath={.status.availableReplicas}"}, std::to_string(replicas));
}

void FleetWalk::goes() const {
  kubectl({"delete", "cluster", cluster_, "--wait=false"}, {});
  is_gone();
}

void FleetWalk::is_gone() const {
  prints({"get", "clusters", "--ignore-not-found", "-o=name", "--field-selector=metadata.name=" + cluster_},
         "");
  EXPECT_THAT(kubectl({"get", "machines,machinesets,machinedeployments,machinepools",
                       "-l=cluster.x-k8s.io/cluster-name=" + cluster_, "-o=name"}),
              IsEmpty());
  // The garbage collector comes later: for templates, health checks, Secrets.
  prints({"get", kinds_of_clusters(), "-l=cluster.x-k8s.io/cluster-name=" + cluster_, "-o=name"}, "");
  std::vector<std::string> left;
  EXPECT_TRUE(eventually([&] { return (left = named_after_it()).empty(); }))
      << ::testing::PrintToString(left);
}

std::vector<std::string> FleetWalk::named_after_it() const {
  auto objects = lines_of(kubectl({"get", kinds_of_clusters(), "-o=name"}));
  std::erase_if(objects, [&](const std::string& object) {
    const std::string name = object.substr(object.find('/') + 1);
    return name != cluster_ && !name.starts_with(cluster_ + "-");
  });
  return objects;
}

// "machines.cluster.x-k8s.io,...,secrets": every kind that may be a Cluster's own, of whatever provider.
std::string FleetWalk::kinds_of_clusters() const {
  std::string kinds = "secrets,configmaps";
  for (const std::string& kind :
       lines_of(kubectl({"api-resources", "--namespaced", "--verbs=list", "--no-headers", "-o=name"})))
    if (kind.ends_with(".cluster.x-k8s.io")) kinds += "," + kind;
  return kinds;
}

std::vector<std::string> FleetWalk::machines_with_node() const {
  return lines_of(
      kubectl({"get", "machines", "-l=cluster.x-k8s.io/cluster-name=" + cluster_,
               "-o=jsonpath={range .items[?(@.status.nodeRef.name)]}{.metadata.name}{\"\\n\"}{end}"}));
}

bool FleetWalk::eventually(const std::function<bool()>& condition) const {
  const SystemClock clock;
  SystemThreads threads;
  const Deadline deadline = Deadline::in(clock, patience_);
  while (!condition()) {
    if (deadline.passed(clock.steady_now())) return false;
    threads.pause(Deadline::in(clock, std::chrono::milliseconds(100)));
  }
  return true;
}

void FleetWalk::prints(const std::vector<std::string>& get, const std::string& wanted) const {
  std::string printed;
  EXPECT_TRUE(eventually([&] { return (printed = kubectl(get)) == wanted; }))
      << get.back() << ": " << printed << ", not " << wanted;
}

std::vector<std::string> FleetWalk::condition_of(const std::string& object, const std::string& type) {
  return {"get", object, "-o=jsonpath={.status.conditions[?(@.type==\"" + type + "\")].status}"};
}

std::vector<std::string> FleetWalk::lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace capstan::envtest
