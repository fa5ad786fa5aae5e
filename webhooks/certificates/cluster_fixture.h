// A cluster for tests of the webhook certificates: an API server's objects in a map, with resourceVersions
// that writes are held to, and the turns of one replica on them. For gtest; one thread.
#pragma once

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/base64.h"
#include "kube/json_patch.h"
#include "kube/merge_patch.h"
#include "kube/stub_client.h"
#include "test/fakes/fake_clock.h"
#include "webhooks/certificates/act.h"
#include "webhooks/certificates/decide.h"
#include "webhooks/certificates/names.h"
#include "webhooks/certificates/observe.h"
#include "webhooks/certificates/pem.h"

namespace capstan::webhooks::certificates {

namespace json = boost::json;

class ClusterStub final : public kube::StubClient {
 public:
  Result<json::value> get(const kube::Resource& resource, const kube::ObjectKey& key,
                          const Deadline&) override {
    ++gets[resource.kind];
    const auto found = objects.find(key.name);
    if (found == objects.end()) return fail(Code::NotFound, key.name + " not found");
    return found->second;
  }
  Result<json::value> create(const kube::Resource&, const kube::ObjectKey& key, const json::value& object,
                             const kube::WriteOptions&, const Deadline&) override {
    if (before_write) std::exchange(before_write, nullptr)();
    if (objects.contains(key.name)) return fail(Code::AlreadyExists, key.name + " is there already");
    put(key.name, object);
    return objects.at(key.name);
  }
  Result<json::value> patch(const kube::Resource&, const kube::ObjectKey& key, const json::value& body,
                            const kube::PatchOptions& options, const Deadline&) override {
    if (before_write) std::exchange(before_write, nullptr)();
    if (!objects.contains(key.name)) return fail(Code::NotFound, key.name + " not found");
    json::value changed = objects.at(key.name);
    const std::string was = version_of(changed);
    if (options.type == kube::PatchType::Json) {
      if (auto applied = kube::apply_json_patch(changed, body); !applied) return fail(applied.error());
    } else {
      kube::apply_merge_patch(changed, body);
    }
    if (version_of(changed) != was) return fail(Code::Conflict, key.name + " was changed meanwhile");
    put(key.name, std::move(changed));
    return objects.at(key.name);
  }

  void put(const std::string& name, json::value object) {
    object.as_object()["metadata"].as_object()["resourceVersion"] = std::to_string(++version_);
    objects.insert_or_assign(name, std::move(object));
  }
  static std::string version_of(const json::value& object) {
    return std::string(object.at_pointer("/metadata/resourceVersion").as_string());
  }

  std::map<std::string, json::value> objects = {};
  std::map<std::string, int> gets = {};     // by kind
  std::function<void()> before_write = {};  // once: what another writer does at that moment

 private:
  int version_ = 0;
};

inline json::value service_config(std::string_view ca_pem = {}) {
  json::object config{{"service", {{"name", kService}, {"namespace", "capi-system"}, {"path", "/p"}}}};
  if (!ca_pem.empty()) config["caBundle"] = base64_encode(ca_pem);
  return config;
}

inline json::value a_definition(json::value config) {
  return {{"kind", "CustomResourceDefinition"},
          {"metadata", {{"annotations", json::object()}}},
          {"spec",
           {{"conversion", {{"strategy", "Webhook"}, {"webhook", {{"clientConfig", std::move(config)}}}}}}}};
}

inline json::value a_configuration(const std::vector<json::value>& configs) {
  json::array hooks;
  for (const json::value& config : configs) hooks.push_back({{"name", "hook"}, {"clientConfig", config}});
  return {{"kind", "Configuration"}, {"metadata", {{"annotations", json::object()}}}, {"webhooks", hooks}};
}

// The objects of the package and what one replica, or two, do about them.
class Certificates : public testing::Test {
 protected:
  static constexpr std::string_view kMachines = "machines.cluster.x-k8s.io";

  Certificates() {
    for (const std::string_view name : kDefinitions)
      cluster.put(std::string(name), a_definition(service_config()));
    for (const std::string_view name : {kMutating, kValidating})
      cluster.put(std::string(name), a_configuration({service_config(), service_config()}));
  }

  // One turn; the plan it was.
  Plan turn(Memory& replica) {
    auto observed = observe({cluster, clock, Deadline::never(), secret_key, reached, times}, replica);
    EXPECT_TRUE(observed) << observed.error().describe();
    if (!observed) return {};
    EXPECT_TRUE(observed->targets_read);
    const Plan plan = decide(observed->seen);
    acted = act({cluster, Deadline::never(), secret_key, names}, observed->seen, plan);
    if (plan.step != Step::Nothing || !plan.outdated.empty()) replica.targets.reset();
    return plan;
  }
  // Turns until time is all that is waited for.
  std::vector<Step> turns(Memory& replica) {
    std::vector<Step> steps;
    for (int most = 20; most > 0; --most) {
      const Plan plan = turn(replica);
      if (plan.step != Step::Nothing) steps.push_back(plan.step);
      if (plan.step == Step::Nothing && plan.outdated.empty()) return steps;
    }
    ADD_FAILURE() << "comes to no end";
    return steps;
  }
  // From whatever there is to a certificate that is served and no other authority.
  void rotate(Memory& replica) {
    for (const Nanoseconds wait : {times.settle, times.served(), Nanoseconds()}) {
      turns(replica);
      clock.advance(wait);
    }
    turns(replica);
  }

  std::string in_secret(std::string_view name) const {
    json::error_code none;
    const auto* found =
        cluster.objects.at(std::string(kSecret)).find_pointer("/data/" + std::string(name), none);
    return found == nullptr ? "" : base64_decode(found->as_string()).value_or("");
  }
  void change_secret(json::object data) {
    json::value secret = cluster.objects.at(std::string(kSecret));
    kube::apply_merge_patch(secret, {{"data", std::move(data)}});
    cluster.put(std::string(kSecret), secret);
  }
  void annotate_secret(std::string_view name, json::value value) {
    json::value secret = cluster.objects.at(std::string(kSecret));
    kube::apply_merge_patch(secret, {{"metadata", {{"annotations", {{name, std::move(value)}}}}}});
    cluster.put(std::string(kSecret), secret);
  }
  // Of every clientConfig in the cluster.
  std::vector<std::string> bundles() const {
    std::vector<std::string> found;
    for (const TargetName& name : target_names()) {
      if (!cluster.objects.contains(name.key.name)) continue;
      for (const Bundle& bundle : read_target(name, cluster.objects.at(name.key.name), reached).bundles)
        found.push_back(bundle.pem);
    }
    return found;
  }

  ClusterStub cluster;
  fakes::FakeClock clock;
  const kube::ObjectKey secret_key{.namespace_ = "capi-system", .name = std::string(kSecret)};
  Reached reached{.namespace_ = "capi-system", .hosts = {}};
  ServedNames names = served_names(reached);
  Times times;
  Memory memory;
  Result<void> acted = {};
};

}  // namespace capstan::webhooks::certificates
