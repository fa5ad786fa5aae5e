// Projections of Kubernetes' own kinds: what is kept, what is dropped, and that what we write back is whole.
#include <gmock/gmock.h>

#include <boost/json.hpp>

#include "api/core/custom_resource_definition.h"
#include "api/core/event.h"
#include "api/core/lease.h"
#include "api/core/namespace.h"
#include "api/core/node.h"
#include "api/core/pod.h"
#include "api/core/pod_disruption_budget.h"
#include "api/core/secret.h"
#include "api/core/volume_attachment.h"
#include "api/names.h"
#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "api/v1beta2/machine.h"

namespace capstan::api {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;

template <typename T>
T decoded(std::string_view text) {
  auto object = decode<T>(text);
  EXPECT_TRUE(object) << object.error().describe();
  return object ? std::move(*object) : T{};
}

// ---- CustomResourceDefinition

TEST(DefinitionProjection, KeepsTheLabelsAndNotTheCopyThatKubectlMakes) {
  auto definition = decoded<CustomResourceDefinition>(
      R"({"metadata":{"name":"a","labels":{"l":"1"},"annotations":{"kubectl.kubernetes.io/last-applied-configuration":"{}"}}})");

  keep_what_is_read(definition);

  EXPECT_EQ(definition.metadata.labels, (TextMap{{"l", "1"}}));
  EXPECT_TRUE(definition.metadata.annotations.empty());
}

// ---- Node

constexpr std::string_view kNode = R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},
  "spec":{"providerID":"p","unschedulable":true,"podCIDR":"10.0.0.0/24",
    "taints":[{"key":"k","effect":"NoExecute","timeAdded":"2026-01-01T12:00:00Z","newer":"field"}]},
  "status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"%","lastTransitionTime":"2026-01-01T12:00:00Z",
      "reason":"KubeletReady","message":"posting"}],
    "addresses":[{"type":"InternalIP","address":"10.0.0.1"}],"images":[{"names":["a"]}],
    "nodeInfo":{"machineID":"m","systemUUID":"s","bootID":"b","kernelVersion":"k","osImage":"o","containerRuntimeVersion":"c",
      "kubeletVersion":"v1.36.3","kubeProxyVersion":"","operatingSystem":"linux","architecture":"amd64"}}})";

Node node_with_heartbeat(std::string_view time) {
  std::string text(kNode);
  text.replace(text.find('%'), 1, time);
  return decoded<Node>(text);
}

TEST(NodeProjection, KeepsWhatControllersAskFor) {
  const auto node = node_with_heartbeat("2026-01-01T12:00:00Z");

  EXPECT_EQ(node.spec.provider_id, "p");
  EXPECT_TRUE(node.spec.unschedulable);
  EXPECT_EQ(node.status.node_info->kubelet_version, "v1.36.3");
  ASSERT_NE(node.condition("Ready"), nullptr);
  EXPECT_EQ(node.condition("Ready")->message, "posting");
  EXPECT_EQ(node.condition("MemoryPressure"), nullptr);
}

TEST(NodeProjection, DoesNotChangeWithAHeartbeat) {
  EXPECT_EQ(node_with_heartbeat("2026-01-01T12:00:00Z"), node_with_heartbeat("2026-01-01T12:05:00Z"));
}

TEST(NodeProjection, HoldsWhatItsKubeletSaysOnceForItAndItsMachine) {
  const auto node = node_with_heartbeat("2026-01-01T12:00:00Z");

  const auto machine = decoded<Machine>(R"({"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Machine",
    "metadata":{"name":"m1"},"spec":{},"status":{"nodeInfo":{"machineID":"m","systemUUID":"s","bootID":"b",
      "kernelVersion":"k","osImage":"o","containerRuntimeVersion":"c","kubeletVersion":"v1.36.3","kubeProxyVersion":"",
      "operatingSystem":"linux","architecture":"amd64"}}})");

  EXPECT_EQ(machine.status.node_info->kubelet_version, "v1.36.3");
  EXPECT_EQ(&*machine.status.node_info, &*node.status.node_info);
}

// There is one for every Machine: what is added here is paid ten thousand times.
TEST(NodeProjection, FitsIntoABlockOf128Bytes) {
  constexpr std::size_t kCounts = 16;  // of std::make_shared
  constexpr std::size_t kGlibc = 8;    // before each block

  EXPECT_LE(sizeof(Node) + kCounts + kGlibc, 128U);
}

TEST(NodeProjection, KeepsTaintsWholeBecauseTheListIsWrittenAsAWhole) {
  const auto node = node_with_heartbeat("2026-01-01T12:00:00Z");

  EXPECT_EQ(
      to_json(node.spec.taints[0]),
      json::parse(R"({"key":"k","effect":"NoExecute","timeAdded":"2026-01-01T12:00:00Z","newer":"field"})"));
  EXPECT_TRUE(node.spec.taints[0].same_taint("k", "NoExecute"));
  EXPECT_FALSE(node.spec.taints[0].same_taint("k", "NoSchedule"));
}

// ---- Pod

TEST(PodProjection, TellsVolumesApart) {
  const auto pod =
      decoded<Pod>(R"({"metadata":{"name":"a"},"spec":{"volumes":[{"name":"scratch","emptyDir":{}},
      {"name":"disk","persistentVolumeClaim":{"claimName":"pvc"}},{"name":"own","ephemeral":{"volumeClaimTemplate":{}}},
      {"name":"cfg","configMap":{"name":"c"}}],"priority":0,"priorityClassName":"low","terminationGracePeriodSeconds":0}})");

  const auto& volumes = pod.spec.volumes;
  EXPECT_FALSE(volumes[0].empty_dir.empty());
  EXPECT_EQ(volumes[1].persistent_volume_claim->claim_name, "pvc");
  EXPECT_FALSE(volumes[2].ephemeral.empty());
  EXPECT_TRUE(volumes[3].empty_dir.empty() && !volumes[3].persistent_volume_claim);
  EXPECT_EQ(pod.spec.priority, 0);
  EXPECT_EQ(pod.spec.termination_grace_period_seconds, 0);
}

TEST(PodProjection, KnowsWhetherItRunsOn) {
  const auto running =
      decoded<Pod>(R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
  const auto failed =
      decoded<Pod>(R"({"status":{"phase":"Failed","conditions":[{"type":"Ready","status":"False"}]}})");
  const auto mirror = decoded<Pod>(R"({"metadata":{"annotations":{"kubernetes.io/config.mirror":"x"}}})");

  EXPECT_TRUE(running.ready() && !running.finished() && !running.is_mirror());
  EXPECT_TRUE(!failed.ready() && failed.finished());
  EXPECT_TRUE(mirror.is_mirror());
}

// ---- what we write

TEST(Lease, GivesBackEverythingItWasReadFrom) {
  const auto text =
      R"({"apiVersion":"coordination.k8s.io/v1","kind":"Lease","metadata":{"name":"l","namespace":"n",
      "newer":1},"spec":{"holderIdentity":"me","leaseDurationSeconds":15,"acquireTime":"2026-01-01T12:00:00.000001Z",
      "renewTime":"2026-01-01T12:00:10.500000Z","leaseTransitions":0,"strategy":"OldestEmulationVersion"},"newer":2})";

  const auto lease = decoded<Lease>(text);

  EXPECT_EQ(to_json(lease), json::parse(text));
  EXPECT_EQ(lease.spec.renew_time.unix_micros() - lease.spec.acquire_time.unix_micros(), 10'499'999);
}

TEST(Event, IsWrittenAsKubernetesReadsIt) {
  Event event;
  event.metadata.name = "m1.1"_text;
  event.metadata.namespace_ = "default"_text;
  event.involved_object = {.kind = "Machine"_text, .name = "m1"_text};
  event.reason = "SuccessfulDrainNode"_text;
  event.message = FreeText("success draining");
  event.type = Text(event_type::kNormal);
  event.count = 1;
  event.first_timestamp = event.last_timestamp = Time::from_unix(0);

  EXPECT_EQ(to_json(event),
            json::parse(R"({"apiVersion":"v1","kind":"Event","metadata":{"name":"m1.1","namespace":"default"},
      "involvedObject":{"kind":"Machine","name":"m1"},"reason":"SuccessfulDrainNode","message":"success draining",
      "firstTimestamp":"1970-01-01T00:00:00Z","lastTimestamp":"1970-01-01T00:00:00Z","count":1,"type":"Normal"})"));
}

// ---- the small ones

TEST(VolumeProjections, NameCsiVolumesAsNodesDo) {
  const auto volume =
      decoded<PersistentVolume>(R"({"metadata":{"name":"pv"},"spec":{"csi":{"driver":"d","volumeHandle":"h"},
      "claimRef":{"kind":"PersistentVolumeClaim","namespace":"n","name":"c"}}})");
  const auto node = decoded<NodeVolumes>(
      R"({"status":{"volumesAttached":[{"name":"kubernetes.io/csi/d^h","devicePath":""}]}})");

  EXPECT_EQ(volume.spec.csi->attached_name(), node.status.volumes_attached[0].name.view());
  EXPECT_EQ(volume.spec.claim_ref->name, "c");
}

TEST(VolumeProjections, ReadAttachments) {
  const auto attachment = decoded<VolumeAttachment>(
      R"({"spec":{"attacher":"d","nodeName":"n1","source":{"persistentVolumeName":"pv"}},"status":{"attached":true}})");

  EXPECT_TRUE(attachment.status.attached);
  EXPECT_EQ(attachment.spec.source.persistent_volume_name, "pv");
}

TEST(PodDisruptionBudgetProjection, TellsAnAbsentSelectorFromAnEmptyOne) {
  const auto none =
      decoded<PodDisruptionBudget>(R"({"spec":{"minAvailable":"50%"},"status":{"disruptionsAllowed":1}})");
  const auto all = decoded<PodDisruptionBudget>(R"({"spec":{"maxUnavailable":1,"selector":{}}})");

  EXPECT_FALSE(none.spec.selector);
  EXPECT_EQ(none.spec.min_available, IntOrString("50%"_text));
  EXPECT_EQ(none.status.disruptions_allowed, 1);
  EXPECT_TRUE(all.spec.selector && all.spec.selector->empty());
}

TEST(NamespaceProjection, KnowsWhenItGoesAway) {
  EXPECT_FALSE(decoded<Namespace>(R"({"status":{"phase":"Active"}})").terminating());
  EXPECT_TRUE(decoded<Namespace>(R"({"status":{"phase":"Terminating"}})").terminating());
}

TEST(CrdProjection, IsNothingButMetadata) {
  const auto crd = decoded<CustomResourceDefinition>(
      R"({"metadata":{"name":"x","labels":{"cluster.x-k8s.io/v1beta2":"v1"}},"spec":{"versions":[{"schema":{}}]}})");

  EXPECT_EQ(crd.metadata.labels.value_or_empty("cluster.x-k8s.io/v1beta2"), "v1");
}

// ---- Secret

TEST(SecretContent, IsDecodedOnReading) {
  const auto secret =
      read_secret(json::parse(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"c1-kubeconfig",
      "namespace":"default","labels":{"cluster.x-k8s.io/cluster-name":"c1"}},"type":"cluster.x-k8s.io/secret",
      "data":{"value":"aGVsbG8=","empty":""}})"));

  ASSERT_TRUE(secret);
  EXPECT_EQ(secret->type, "cluster.x-k8s.io/secret");
  EXPECT_EQ(secret->labels.at("cluster.x-k8s.io/cluster-name"), "c1");
  ASSERT_NE(secret->find("value"), nullptr);
  EXPECT_EQ(secret->find("value")->reveal(), "hello");
  EXPECT_EQ(secret->find("empty")->reveal(), "");
  EXPECT_EQ(secret->find("other"), nullptr);
}

TEST(SecretContent, NeverShowsAValueInAnError) {
  const auto broken =
      read_secret(json::parse(R"({"kind":"Secret","metadata":{},"data":{"password":"not base64 hunter2"}})"));

  ASSERT_FALSE(broken);
  EXPECT_THAT(broken.error().message, HasSubstr("data.password"));
  EXPECT_THAT(broken.error().message, Not(HasSubstr("hunter2")));
}

TEST(SecretContent, RefusesOtherKinds) {
  EXPECT_FALSE(read_secret(json::parse(R"({"kind":"ConfigMap","metadata":{}})")));
  EXPECT_FALSE(read_secret(json::parse(R"({"kind":"Secret","data":[]})")));
  EXPECT_FALSE(read_secret(json::value("x")));
}

TEST(SecretContent, PutsNothingIntoThePoolOfTexts) {
  const auto before = Text::interned_count();

  const auto secret = read_secret(
      json::parse(R"({"kind":"Secret","metadata":{"name":"unheard-of-name"},"type":"unheard-of-type",
      "data":{"unheard-of-key":"dW5oZWFyZC1vZi12YWx1ZQ=="}})"));

  ASSERT_TRUE(secret);
  EXPECT_EQ(Text::interned_count(), before);
}

}  // namespace
}  // namespace capstan::api
