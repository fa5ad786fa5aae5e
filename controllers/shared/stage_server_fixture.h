// A management cluster's server for tests of controllers' whole turns, what its users and providers do there,
// and a client that writes down what a controller asks of it. Runs inside a Baton.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/policy/machine_lifecycle_policy.h"
#include "api/schema/crd.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"
#include "apiserver/api.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/events.h"
#include "test/builders/identity.h"
#include "test/fakes/baton.h"
#include "test/fakes/memory_client.h"

namespace capstan::controllers {

namespace json = boost::json;

// Hands everything on and notes it: "patch clusters/status c1".
class NotingClient final : public kube::Client {
 public:
  explicit NotingClient(kube::Client& inner) : inner_(inner) {}
  std::vector<std::string> notes = {};
  std::vector<json::value> bodies = {};  // of writes
  // What a get, list, patch or deletion is answered with instead of being handed on, by its note.
  std::function<std::optional<Error>(std::string_view note)> refuses = {};

  Result<json::value> get(const kube::Resource& resource, const kube::ObjectKey& key,
                          const Deadline& deadline) override {
    notes.push_back("get " + resource.plural + " " + key.name);
    if (auto error = refused()) return fail(std::move(*error));
    return inner_.get(resource, key, deadline);
  }
  Result<json::value> list(const kube::Resource& resource, const kube::ListOptions& options,
                           const Deadline& deadline) override {
    notes.push_back("list " + resource.plural);
    if (auto error = refused()) return fail(std::move(*error));
    return inner_.list(resource, options, deadline);
  }
  Result<json::value> create(const kube::Resource& resource, const kube::ObjectKey& key,
                             const json::value& object, const kube::WriteOptions& options,
                             const Deadline& deadline) override {
    notes.push_back("create " + resource.plural + " " + key.name);
    bodies.push_back(object);
    if (auto error = refused()) return fail(std::move(*error));
    return inner_.create(resource, key, object, options, deadline);
  }
  Result<json::value> replace(const kube::Resource& resource, const kube::ObjectKey& key,
                              const json::value& object, std::string_view subresource,
                              const kube::WriteOptions& options, const Deadline& deadline) override {
    notes.push_back("replace " + resource.plural + " " + key.name);
    return inner_.replace(resource, key, object, subresource, options, deadline);
  }
  Result<json::value> patch(const kube::Resource& resource, const kube::ObjectKey& key,
                            const json::value& body, const kube::PatchOptions& options,
                            const Deadline& deadline) override {
    const std::string part = options.subresource.empty() ? "" : "/" + options.subresource;
    notes.push_back("patch " + resource.plural + part + " " + key.name);
    bodies.push_back(body);
    if (auto error = refused()) return fail(std::move(*error));
    return inner_.patch(resource, key, body, options, deadline);
  }
  Result<void> remove(const kube::Resource& resource, const kube::ObjectKey& key,
                      const kube::DeleteOptions& options, const Deadline& deadline) override {
    notes.push_back("delete " + resource.plural + " " + key.name);
    if (auto error = refused()) return fail(std::move(*error));
    return inner_.remove(resource, key, options, deadline);
  }
  Result<void> evict(const kube::ObjectKey& pod, const kube::DeleteOptions& options,
                     const Deadline& deadline) override {
    notes.push_back("evict " + pod.name);
    return inner_.evict(pod, options, deadline);
  }
  Result<json::value> get_path(std::string_view path, const Deadline& deadline) override {
    return inner_.get_path(path, deadline);
  }
  Result<json::value> post_path(std::string_view path, const json::value& body,
                                const Deadline& deadline) override {
    return inner_.post_path(path, body, deadline);
  }
  std::unique_ptr<kube::Stream> list_stream(const kube::Resource& resource, const kube::ListOptions& options,
                                            kube::StreamSink& sink) override {
    return inner_.list_stream(resource, options, sink);
  }
  std::unique_ptr<kube::Stream> watch(const kube::Resource& resource, const kube::WatchOptions& options,
                                      kube::StreamSink& sink) override {
    return inner_.watch(resource, options, sink);
  }

 private:
  std::optional<Error> refused() const { return refuses ? refuses(notes.back()) : std::nullopt; }

  kube::Client& inner_;
};

// "Normal Provisioning: Cluster c1 is Provisioning"
class NotedEvents final : public runtime::EventRecorder {
 public:
  std::vector<std::string> told = {};
  void record(const api::ObjectReference&, runtime::EventType type, std::string_view reason,
              std::string_view message) override {
    told.push_back(std::string(runtime::to_string(type)) + " " + std::string(reason) + ": " +
                   std::string(message));
  }
};

inline kube::Resource provider_resource(std::string_view group, std::string_view kind,
                                        std::string_view plural) {
  return {.group = std::string(group),
          .version = "v1beta2",
          .plural = std::string(plural),
          .kind = std::string(kind)};
}

// Takes any fields; keeps the contract of its label.
inline json::value provider_crd(const kube::Resource& resource, std::string_view contract = "v1beta2") {
  const json::value schema = {
      {"openAPIV3Schema", {{"type", "object"}, {"x-kubernetes-preserve-unknown-fields", true}}}};
  json::object labels;
  labels["cluster.x-k8s.io/" + std::string(contract)] = resource.version;
  return {{"apiVersion", "apiextensions.k8s.io/v1"},
          {"kind", "CustomResourceDefinition"},
          {"metadata", {{"name", resource.plural + "." + resource.group}, {"labels", std::move(labels)}}},
          {"spec",
           {{"group", resource.group},
            {"scope", "Namespaced"},
            {"names",
             {{"plural", resource.plural}, {"kind", resource.kind}, {"listKind", resource.kind + "List"}}},
            {"versions", json::array{{{"name", resource.version},
                                      {"served", true},
                                      {"storage", true},
                                      {"subresources", {{"status", json::object()}}},
                                      {"schema", schema}}}}}}};
}

// The management cluster's server and the kinds a core provider finds there. The test plays its users.
class StageServer {
 public:
  explicit StageServer(fakes::Baton& with)
      : baton(with), api({.clock = with}), user(api, with, {.user_agent = "kubectl/1"}) {
    make(kube::resources::custom_resource_definitions(), api::crd<api::Cluster>());
    make(kube::resources::custom_resource_definitions(), api::crd<api::Machine>());
    make(kube::resources::custom_resource_definitions(), api::crd<api::MachineSet>());
    make(kube::resources::custom_resource_definitions(), api::crd<api::MachineDeployment>());
    make(kube::resources::custom_resource_definitions(), api::crd<api::MachinePool>());
    make(kube::resources::custom_resource_definitions(), api::crd<api::MachineHealthCheck>());
    make(kube::resources::custom_resource_definitions(), api::crd<api::MachineLifecyclePolicy>());
  }
  StageServer(const StageServer&) = delete;
  StageServer& operator=(const StageServer&) = delete;

  // Long enough for a few turns that follow from each other.
  void settle(Nanoseconds span = std::chrono::seconds(4)) { baton.pause(Deadline::in(baton, span)); }

  // --- users and providers ---
  void make(const kube::Resource& resource, json::value object) {
    auto& metadata = object.as_object()["metadata"].as_object();
    for (const std::string_view servers : {"uid", "resourceVersion", "generation", "creationTimestamp"})
      metadata.erase(servers);
    const auto made = user.create(resource, key_in(resource, ""), object, {}, Deadline::never());
    ASSERT_TRUE(made) << made.error().describe();
  }
  // Status and all: what an object has become, as another writer made it.
  template <typename T>
  void put(const T& object) {
    const auto resource = kube::resource_of<T>();
    const json::value document = api::to_json(object);
    make(resource, document);
    patch(resource, object.metadata.name.view(), {{"status", document.at("status")}}, "status");
  }
  // Without uid, so that owners are found by their names.
  void put_provider(const kube::Resource& resource, std::string_view name, json::object rest = {}) {
    rest["apiVersion"] = resource.api_version();
    rest["kind"] = resource.kind;
    rest["metadata"] = {{"name", name}, {"namespace", builders::kNamespace}};
    make(resource, rest);
  }
  void patch(const kube::Resource& resource, std::string_view name, const json::value& body,
             std::string_view subresource = {}) {
    const auto patched = user.patch(resource, key_in(resource, name), body,
                                    {.subresource = std::string(subresource)}, Deadline::never());
    ASSERT_TRUE(patched) << patched.error().describe();
  }
  void remove(const kube::Resource& resource, std::string_view name) {
    const auto removed = user.remove(resource, key_in(resource, name), {}, Deadline::never());
    ASSERT_TRUE(removed) << removed.error().describe();
  }

  // --- what has become of it ---
  template <typename T>
  T read(std::string_view name) {
    return kube::get<T>(user, key(name), Deadline::never()).value();
  }
  json::value read(const kube::Resource& resource, std::string_view name) {
    return user.get(resource, key_in(resource, name), Deadline::never()).value();
  }
  bool exists(const kube::Resource& resource, std::string_view name) {
    return user.get(resource, key_in(resource, name), Deadline::never()).has_value();
  }
  static kube::ObjectKey key(std::string_view name) {
    return {.namespace_ = std::string(builders::kNamespace), .name = std::string(name)};
  }

  static kube::ObjectKey key_in(const kube::Resource& resource, std::string_view name) {
    return resource.namespaced ? key(name) : kube::ObjectKey{.namespace_ = {}, .name = std::string(name)};
  }

  fakes::Baton& baton;
  apiserver::Api api;
  fakes::MemoryClient user;
  NotedEvents events;
};

// Under five seeds, so that no test depends on who is faster.
inline void under_seeds(const std::function<void(fakes::Baton&)>& body) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    fakes::Baton baton({.seed = seed});
    const auto report = baton.run([&] { body(baton); });
    ASSERT_TRUE(report.finished()) << "seed " << seed << ": " << report.why;
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

}  // namespace capstan::controllers
