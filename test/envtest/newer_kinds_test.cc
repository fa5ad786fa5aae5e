// CustomResourceDefinitions that are newer than this build: Cluster API's kinds with a served version and
// with fields that it does not know. A fleet lives on them, and what another, newer manager or user has
// written into those fields is there after every write of ours.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "api/schema/yaml.h"
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
  static void SetUpTestSuite() {
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().describe();
    write_newer_kinds(folder->path() / "crds");
    make_bed({.crds = folder->path() / "crds", .audit = FleetBedOptions::Audit::Requests});
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

}  // namespace
}  // namespace capstan::envtest
