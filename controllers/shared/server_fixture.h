// FixtureServer: a management cluster's server for tests of controllers' whole turns, the kinds that a core
// provider finds there, and what users and providers do, whom the test plays. under_seeds() plays a test in
// several orders of threads. Runs inside a Baton.
#pragma once

#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "apiserver/api.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "test/builders/identity.h"
#include "test/fakes/baton.h"
#include "test/fakes/memory_client.h"
#include "test/fakes/recorded_events.h"

namespace capstan::controllers {

namespace json = boost::json;

template <typename T>
void must(const Result<T>& result) {
  ASSERT_TRUE(result) << result.error().describe();
}

kube::Resource provider_resource(std::string_view group, std::string_view kind, std::string_view plural);
// Takes any fields; keeps the contract of its label.
json::value provider_crd(const kube::Resource& resource, std::string_view contract = "v1beta2");

class FixtureServer {
 public:
  explicit FixtureServer(fakes::Baton& with) : FixtureServer(with, {.clock = with}) {}
  FixtureServer(fakes::Baton& with, const apiserver::ApiOptions& options);
  FixtureServer(const FixtureServer&) = delete;
  FixtureServer& operator=(const FixtureServer&) = delete;

  // Long enough for a few turns that follow from each other.
  void settle(Nanoseconds span = std::chrono::seconds(4)) { baton.pause(Deadline::in(baton, span)); }

  // --- users and providers ---
  // As `kubectl create` does: whatever its status says is left out by the server.
  void make(const kube::Resource& resource, json::value object);
  template <typename T>
  void make(const T& object) {
    make(kube::resource_of<T>(), api::to_json(object));
  }
  // Status and all: what an object has become, as another writer made it.
  void put(const kube::Resource& resource, const json::value& object);
  template <typename T>
  void put(const T& object) {
    put(kube::resource_of<T>(), api::to_json(object));
  }
  // Without uid, so that owners are found by their names.
  void put_provider(const kube::Resource& resource, std::string_view name, json::object rest = {});
  void patch(const kube::Resource& resource, std::string_view name, const json::value& body,
             std::string_view subresource = {});
  void remove(const kube::Resource& resource, std::string_view name);
  // As `kubectl delete --cascade=orphan` does; the object goes once run_cluster_controllers() has been
  // called.
  void remove_and_orphan(const kube::Resource& resource, std::string_view name);
  // What the cluster's own controllers do: they collect garbage, for one.
  void run_cluster_controllers();

  // --- what has become of it ---
  template <typename T>
  T read(std::string_view name) {
    return kube::get<T>(user, key(name), Deadline::never()).value();
  }
  json::value read(const kube::Resource& resource, std::string_view name);
  bool exists(const kube::Resource& resource, std::string_view name);
  static kube::ObjectKey key(std::string_view name);
  static kube::ObjectKey key_in(const kube::Resource& resource, std::string_view name);

  fakes::Baton& baton;
  apiserver::Api api;
  fakes::MemoryClient user;
  fakes::RecordedEvents events;

 private:
  void install_kinds();
};

// Seeds 1 to `seeds`, so that no test depends on which thread is faster.
void under_seeds(const std::function<void(fakes::Baton&)>& body, std::uint64_t seeds = 5);

}  // namespace capstan::controllers
