// The brakes on real servers, driven by real kubectl: what each of them holds, what it says meanwhile, and
// how it opens.
#include <csignal>
#include <regex>

#include "test/envtest/lifecycle_suite_fixture.h"

namespace capstan::envtest {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

// A server answers no more while this is there, and connections to it stay open.
class Silence {
 public:
  explicit Silence(const RealServers& servers) : pids_(servers.pids()) { send(SIGSTOP); }
  Silence(const Silence&) = delete;
  Silence& operator=(const Silence&) = delete;
  ~Silence() { end(); }
  void end() { send(SIGCONT); }

 private:
  void send(int signal) const {
    for (const pid_t pid : pids_) ::kill(pid, signal);
  }
  std::vector<pid_t> pids_;
};

class Safety : public Lifecycle {
 protected:
  static void SetUpTestSuite() {
    make_bed({.core_flags = {"--api-loss-grace=3s"},
              .cloud = std::string(kSilentKubelets),
              .audit = FleetBedOptions::Audit::Requests});
  }

  void scale(int replicas) const {
    kubectl(
        {"patch", deployment(), "--type=merge", fmt::format(R"(-p={{"spec":{{"replicas":{}}}}})", replicas)});
  }
  std::string has_replicas(int replicas) const {
    return until(fmt::format("jsonpath={{.status.replicas}}={}", replicas), deployment());
  }
  std::string set() const {
    const std::string found = kubectl({"get", "machineset", "-l", "pool=" + workers(), "-o=name"});
    return found.substr(0, found.find('\n'));
  }
  // The condition of the deployment or its set comes to say so.
  static bool says(const std::string& object, const std::string& type, const std::string& words) {
    return eventually([&] { return message(object, type).find(words) != std::string::npos; });
  }
  // The hash that a guard asks for.
  static std::string hash_in(const std::string& question) {
    std::smatch found;
    const std::regex pattern("confirm-deletion: \"([0-9a-f]+)\"");
    return std::regex_search(question, found, pattern) ? found[1].str() : "none";
  }
  void expect_all_stay(const Lines& before) const {
    EXPECT_EQ(machines(), before);
    EXPECT_THAT(machines(".metadata.deletionTimestamp"), IsEmpty());
  }
};

TEST_F(Safety, AFrozenDeploymentStandsStillObeysAUserAndGoesOnWhenItIsThawed) {
  const Lines before = machines();

  annotate(deployment(), "capstan.dev/freeze=audit");
  const auto frozen = until(reason_is("capstan.dev/Frozen", "FrozenByAnnotation"), deployment());
  scale(1);
  const bool told =
      says(deployment(), "ScalingDown", "frozen by the annotation capstan.dev/freeze: \"audit\"");
  expect_all_stay(before);
  kubectl({"delete", "machine", before[0], "--timeout=50s"});
  const Lines meanwhile = machines();
  annotate(deployment(), "capstan.dev/freeze-");
  const auto scaled = has_replicas(1);

  EXPECT_THAT(frozen, EndsWith(kMet));
  EXPECT_TRUE(told);
  EXPECT_THAT(meanwhile, ElementsAre(before[1], before[2])) << "what a user deletes goes, and none is made";
  EXPECT_THAT(scaled, EndsWith(kMet));
}

// The FleetPolicy is for all Clusters, and goes with this test.
TEST_F(Safety, AFrozenFleetIsSeenOnItsClustersAndHoldsThem) {
  const Lines before = machines();

  kubectl({"apply", "-f", "-"}, R"(
apiVersion: policy.capstan.dev/v1alpha1
kind: FleetPolicy
metadata: {name: fleet, annotations: {capstan.dev/freeze: incident 7}}
spec: {}
)");
  const auto frozen = until(reason_is("capstan.dev/Frozen", "FrozenByFleet"), "cluster/" + cluster_);
  scale(2);
  const bool told = says(deployment(), "ScalingDown", "incident 7");
  expect_all_stay(before);
  annotate("fleetpolicy/fleet", "capstan.dev/freeze-");
  const auto scaled = has_replicas(2);
  kubectl({"delete", "fleetpolicy", "fleet"});

  EXPECT_THAT(frozen, EndsWith(kMet));
  EXPECT_TRUE(told);
  EXPECT_THAT(scaled, EndsWith(kMet));
}

TEST_F(Safety, AGuardHoldsALargeDeletionUntilItsListIsConfirmed) {
  govern("  deletionGuard: {percent: 40}");
  if (HasFatalFailure()) return;
  const Lines before = machines();
  const std::string set = this->set();

  scale(0);
  const bool told = says(set, "ScalingDown", "confirm it with the annotation capstan.dev/confirm-deletion: ");
  const std::string question = message(set, "ScalingDown");
  expect_all_stay(before);
  annotate(set, "capstan.dev/confirm-deletion=0000000000000000");
  scale(1);
  const bool asked_anew = eventually([&] {
    const std::string now = message(set, "ScalingDown");
    return now != question && now.find("confirm-deletion: ") != std::string::npos;
  });
  expect_all_stay(before);
  annotate(set, "capstan.dev/confirm-deletion=" + hash_in(message(set, "ScalingDown")));
  const auto scaled = has_replicas(1);

  EXPECT_TRUE(told);
  EXPECT_TRUE(asked_anew) << "a shorter list is another question";
  EXPECT_THAT(scaled, EndsWith(kMet));
  EXPECT_EQ(field(set, ".metadata.annotations.capstan\\.dev/confirm-deletion"), "") << "used up";
}

TEST_F(Safety, FewerMachinesWaitForTheirWindowAndFurtherOnesDoNot) {
  govern("  windows: [{cron: 0 2 29 2 *, durationSeconds: 60, timeZone: Europe/Berlin, intents: [ScaleIn]}]");
  if (HasFatalFailure()) return;
  const Lines before = machines();

  scale(2);
  const bool told = says(set(), "ScalingDown", "for ScaleIn: the next one opens at 20");
  expect_all_stay(before);
  scale(4);
  const auto grown = until("jsonpath={.status.availableReplicas}=4", deployment());
  scale(2);
  kubectl({"patch", "machinelifecyclepolicy", cluster_, "--type=merge", R"(-p={"spec":{"windows":null}})"});
  const auto scaled = has_replicas(2);

  EXPECT_TRUE(told);
  EXPECT_THAT(grown, EndsWith(kMet));
  EXPECT_THAT(scaled, EndsWith(kMet));
}

TEST_F(Safety, WhatAWindowHoldsStaysWhenTheTemplateChanges) {
  govern("  windows: [{cron: 0 2 29 2 *, durationSeconds: 60, intents: [ScaleIn, Rollout]}]");
  if (HasFatalFailure()) return;
  const Lines before = machines();
  const std::string set = this->set();

  scale(1);
  const bool told = says(set, "ScalingDown", "for ScaleIn: the next one opens at 20");
  kubectl(
      {"patch", deployment(), "--type=merge", R"(-p={"spec":{"template":{"spec":{"version":"v1.36.0"}}}})"});
  const auto rolling = until("condition=RollingOut", deployment());
  const bool held = says(deployment(), "ScalingDown", "for ScaleIn: the next one opens at 20");
  const Lines after = machines();

  EXPECT_TRUE(told);
  EXPECT_THAT(rolling, EndsWith(kMet));
  EXPECT_TRUE(held) << message(deployment(), "ScalingDown");
  for (const auto& machine : before) EXPECT_THAT(after, Contains(machine));
  EXPECT_THAT(machines(".metadata.deletionTimestamp"), IsEmpty());
}

TEST_F(Safety, ReleasedMachinesCountUntilTheyAreGone) {
  govern("  overshoot: {up: 1}");
  if (HasFatalFailure()) return;
  const Lines before = machines();
  const std::string set = this->set();

  for (const auto& machine : before)
    kubectl({"label", "--overwrite", "machine", machine, "machine-template-hash=renamed"});
  const bool told = says(set, "ScalingUp", "3 of them were released because label");
  const Lines after = machines();
  for (const auto& machine : before) kubectl({"delete", "machine", machine, "--timeout=50s"});
  const auto whole = until("jsonpath={.status.availableReplicas}=3", set);

  EXPECT_TRUE(told);
  EXPECT_THAT(after, SizeIs(::testing::Lt(6))) << "as many were not made anew";
  for (const auto& machine : before) EXPECT_THAT(after, Contains(machine));
  EXPECT_THAT(whole, EndsWith(kMet));
}

TEST_F(Safety, NothingIsDeletedWhileTheApiServerOfTheClusterIsSilent) {
  govern_running("  health: {nodeChecks: {timeoutSeconds: 3600}}");
  if (HasFatalFailure()) return;
  const Lines before = machines();

  Silence silence(bed_->workload());
  const bool lost = eventually([&] {
    return field("cluster/" + cluster_, ".status.conditions[?(@.type==\"RemoteConnectionProbe\")].status") !=
           "True";
  });
  scale(1);
  const bool told = says(deployment(), "ScalingDown", "has not been reached since");
  const std::string meanwhile = message(deployment(), "ScalingDown");
  expect_all_stay(before);
  silence.end();
  const auto scaled = has_replicas(1);

  EXPECT_TRUE(lost);
  EXPECT_TRUE(told) << meanwhile;
  EXPECT_THAT(scaled, EndsWith(kMet));
}

}  // namespace
}  // namespace capstan::envtest
