// CustomResourceDefinitions that are newer than this build: Cluster API's kinds with a served version and
// with fields that it does not know. A fleet lives on them, and what another, newer manager or user has
// written into those fields is there after every write of ours, also while two versions of the manager run.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "api/schema/yaml.h"
#include "base/threads.h"
#include "test/envtest/fleet_suite_fixture.h"
#include "test/envtest/scratch_folder.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using ::testing::Each;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

constexpr const char* kMet = "condition met\n";
constexpr std::string_view kField = "fromTheFuture";

void add_field(json::object& schema) {
  if (auto* properties = schema.if_contains("properties"))
    properties->as_object()[kField] = {{"type", "string"}};
}

// Into spec, status and the spec of a template.
void add_fields(json::value& version) {
  json::error_code absent;
  for (const char* part : {"/spec", "/status", "/spec/properties/template/properties/spec"}) {
    const std::string pointer = fmt::format("/schema/openAPIV3Schema/properties{}", part);
    if (auto* schema = version.find_pointer(pointer, absent)) add_field(schema->as_object());
  }
}

// As a later release may have it: v1beta2 with more fields, and v1beta3 beside it.
json::value newer(json::value crd) {
  json::array& versions = crd.at("spec").at("versions").as_array();
  add_fields(versions.front());
  json::value next = versions.front();
  next.as_object()["name"] = "v1beta3";
  next.as_object()["storage"] = false;
  versions.insert(versions.begin(), std::move(next));
  return crd;
}

void write_newer_kinds(const fs::path& folder) {
  fs::create_directories(folder);
  for (const auto& file : fs::directory_iterator("config/crd/bases")) {
    const std::string name = file.path().filename();
    json::value crd = api::parse_yaml(content_of(file.path())).value();
    if (name.starts_with("cluster.x-k8s.io_")) crd = newer(std::move(crd));
    std::ofstream(folder / (name + ".json")) << json::serialize(crd);
  }
}

class NewerKinds : public FleetSuite {
 protected:
  static void SetUpTestSuite() { make_bed_of_newer_kinds(); }
  static void make_bed_of_newer_kinds(std::vector<std::string> core_flags = {}) {
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    write_newer_kinds(folder->path() / "crds");
    make_bed({.crds = folder->path() / "crds",
              .core_flags = std::move(core_flags),
              .audit = FleetBedOptions::Audit::Requests});
  }

  static json::value object(const std::string& name) {
    return json::parse(kubectl({"get", name, "-o=json"}));
  }
  // A second deployment like the sample's, whose author knows the newer fields.
  static void create_deployment(const std::string& like, const std::string& name) {
    json::value deployment = object("machinedeployment/" + like);
    deployment.as_object().erase("status");
    deployment.as_object()["metadata"] = {{"name", name}, {"namespace", "default"}};
    json::object& spec = deployment.at("spec").as_object();
    spec["replicas"] = 2;
    spec["selector"] = {{"matchLabels", {{"pool", name}}}};
    spec[kField] = "kept";
    json::object& machine = spec["template"].as_object();
    machine["metadata"] = {{"labels", {{"pool", name}}}};
    machine["spec"].as_object()[kField] = "kept";
    ASSERT_THAT(kubectl({"create", "-f", "-"}, json::serialize(deployment)), EndsWith("created\n"));
  }
  static void write_status(const std::string& name) {
    kubectl({"patch", name, "--subresource=status", "--type=merge",
             fmt::format(R"(-p={{"status":{{"{}":"kept"}}}})", kField)});
  }
  static std::string in_spec(const std::string& name) {
    return kubectl({"get", name, fmt::format("-o=jsonpath={{.spec.{}}}", kField)});
  }
  static std::string in_status(const std::string& name) {
    return kubectl({"get", name, fmt::format("-o=jsonpath={{.status.{}}}", kField)});
  }
};

TEST_F(NewerKinds, HoldAFleetWhoseUnknownFieldsAreCopiedAndNeverLost) {
  apply_sample("future");
  ASSERT_THAT(until("condition=Available", "machinedeployment/future-workers"), EndsWith(kMet));
  create_deployment("future-workers", "known");
  const std::string deployment = "machinedeployment/known";
  ASSERT_THAT(until("condition=Available", deployment), EndsWith(kMet));

  const Lines sets = lines_of(kubectl({"get", "machinesets", "-l", "pool=known", "-o=name"}));
  ASSERT_THAT(sets, SizeIs(1));
  const Lines machines = lines_of(kubectl({"get", "machines", "-l", "pool=known", "-o=name"}));
  ASSERT_THAT(machines, SizeIs(2));
  EXPECT_EQ(kubectl({"get", sets.front(), fmt::format("-o=jsonpath={{.spec.template.spec.{}}}", kField)}),
            "kept");
  EXPECT_THAT(field_of_machines("pool=known", fmt::format(".spec.{}", kField)), Each("kept"));

  std::vector<std::string> owners = {"cluster/future", deployment, sets.front(), machines.front()};
  for (const std::string& name : owners) write_status(name);
  kubectl({"scale", deployment, "--replicas=3"});
  ASSERT_THAT(until("jsonpath={.status.availableReplicas}=3", deployment), EndsWith(kMet));
  kubectl({"label", deployment, "touched=by-a-user"});
  kubectl({"patch", deployment, "--type=merge",
           R"(-p={"spec":{"template":{"metadata":{"labels":{"more":"labels"}}}}})"});
  ASSERT_THAT(until("jsonpath={.metadata.labels.more}=labels", machines.front()), EndsWith(kMet));

  for (const std::string& name : owners) EXPECT_EQ(in_status(name), "kept") << name;
  for (const std::string& name : {deployment, machines.front()}) EXPECT_EQ(in_spec(name), "kept") << name;
  EXPECT_EQ(lines_of(kubectl({"get", "machinesets", "-l", "pool=known", "-o=name"})), sets) << "no rollout";
}

// The scale went through the version that this build does not know, and so did all that kubectl read.
TEST_F(NewerKinds, AreServedInAVersionThatThisBuildDoesNotKnow) {
  EXPECT_THAT(kubectl({"get", "machinedeployments", "-o=jsonpath={.items[*].apiVersion}"}),
              HasSubstr("cluster.x-k8s.io/v1beta3"));
  EXPECT_THAT(content_of(bed_->core().log()), Not(HasSubstr("v1beta3")));
}

// The manager of an earlier release and one of a later release, at once, as while a Deployment is rolled to
// the other version or taken back.
class TwoVersions : public NewerKinds {
 protected:
  static void SetUpTestSuite() { make_bed_of_newer_kinds(election()); }
  void SetUp() override {
    ASSERT_NE(bed_, nullptr);
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    folder_ = std::make_unique<ScratchFolder>(std::move(*folder));
    write_later_release();
  }

  static std::vector<std::string> election() {
    return {"--leader-elect", "--leader-elect-lease-duration=6s", "--leader-elect-renew-deadline=4s",
            "--leader-elect-retry-period=500ms"};
  }
  // "0.1.0"
  static std::string version_of(const fs::path& program) {
    const std::string line = output_of({.argv = {program, "--version"}}, kShort).value_or("capstan ?\n");
    return line.substr(line.find(' ') + 1, line.size() - line.find(' ') - 2);
  }
  // A copy of this build that notes another version on the Lease, and differs in little else.
  void write_later_release() {
    const fs::path capstan = fs::read_symlink("/proc/self/exe").parent_path() / "capstan";
    const fs::path copy = folder_->path() / "later";
    earlier_version_ = version_of(capstan);
    later_version_ = "9" + earlier_version_.substr(1);
    std::string bytes = content_of(capstan);
    for (const char before : {'/', '\0'}) {
      const std::string written = before + earlier_version_;
      for (auto at = bytes.find(written); at != std::string::npos; at = bytes.find(written, at + 1))
        bytes[at + 1] = '9';
    }
    std::ofstream(copy, std::ios::binary) << bytes;
    fs::permissions(copy, fs::perms::owner_all);
  }
  // With the rights of the one that leads.
  void start_later_release() {
    const auto kubeconfig = bed_->management().kubeconfig_for(kManagerUser, "");
    ASSERT_TRUE(kubeconfig) << kubeconfig.error().describe();
    std::vector<std::string> argv = {
        folder_->path() / "later", "--kubeconfig",    *kubeconfig, "--health-addr=0",
        "--diagnostics-address=0", "--webhook-port=0"};
    for (const std::string& flag : election()) argv.push_back(flag);
    auto started = ChildProcess::start({.argv = std::move(argv)}, folder_->path() / "later.log");
    ASSERT_TRUE(started) << started.error().describe();
    later_ = std::move(*started);
  }
  static bool says(const ChildProcess& process, std::string_view text) {
    const SystemClock clock;
    SystemThreads threads;
    const Deadline deadline = Deadline::in(clock, std::chrono::seconds(50));
    while (!content_of(process.log()).contains(text)) {
      if (deadline.passed(clock.steady_now())) return false;
      threads.pause(Deadline::in(clock, std::chrono::milliseconds(100)));
    }
    return true;
  }
  static std::string leading_version() {
    return kubectl({"get", "lease", "controller-leader-election-capi", "--namespace=capi-system",
                    R"(-o=jsonpath={.metadata.annotations.capstan\.dev/election-scope})"});
  }
  static void scale(int replicas) {
    kubectl({"scale", "machinedeployment/known", "--replicas=" + std::to_string(replicas)});
    EXPECT_THAT(
        until("jsonpath={.status.availableReplicas}=" + std::to_string(replicas), "machinedeployment/known"),
        EndsWith(kMet));
  }
  static void expect_nothing_lost() {
    EXPECT_EQ(in_spec("machinedeployment/known"), "kept");
    EXPECT_THAT(field_of_machines("pool=known", fmt::format(".spec.{}", kField)), Each("kept"));
    for (const std::string name : {"cluster/turns", "machinedeployment/known"})
      EXPECT_EQ(in_status(name), "kept") << name;
    EXPECT_THAT(lines_of(kubectl({"get", "machinesets", "-l", "pool=known", "-o=name"})), SizeIs(1));
  }

  std::unique_ptr<ScratchFolder> folder_;
  std::string earlier_version_;
  std::string later_version_;
  ChildProcess later_;
};

TEST_F(TwoVersions, SayThatTheOtherOneLeadsAndTakeTurnsWithoutLosingAField) {
  apply_sample("turns");
  ASSERT_THAT(until("condition=Available", "machinedeployment/turns-workers"), EndsWith(kMet));
  create_deployment("turns-workers", "known");
  ASSERT_THAT(until("condition=Available", "machinedeployment/known"), EndsWith(kMet));
  for (const std::string name : {"cluster/turns", "machinedeployment/known"}) write_status(name);

  start_later_release();
  EXPECT_TRUE(says(later_, "waiting for the lease, which another version holds")) << content_of(later_.log());
  EXPECT_THAT(content_of(later_.log()), HasSubstr("version=" + earlier_version_ + " ours=" + later_version_));
  EXPECT_FALSE(later_.has_ended());
  scale(3);
  expect_nothing_lost();

  // The later one takes over, and the earlier one comes back.
  ASSERT_TRUE(bed_->stop_core());
  EXPECT_TRUE(says(later_, "controllers run"));
  EXPECT_THAT(leading_version(), HasSubstr(later_version_));
  ASSERT_TRUE(bed_->start_core());
  EXPECT_TRUE(says(bed_->core(), "version=" + later_version_ + " ours=" + earlier_version_))
      << content_of(bed_->core().log());
  scale(4);
  expect_nothing_lost();

  // And back.
  ::kill(later_.pid(), SIGTERM);
  EXPECT_EQ(later_.await_end(std::chrono::seconds(30)).value_or(-1), 0) << content_of(later_.log());
  scale(2);
  EXPECT_THAT(leading_version(), HasSubstr(earlier_version_));
  expect_nothing_lost();
}

}  // namespace
}  // namespace capstan::envtest
