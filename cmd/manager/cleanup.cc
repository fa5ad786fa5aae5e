#include "cmd/manager/cleanup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <boost/json.hpp>

#include "api/bootstrap/cloud_config.h"
#include "api/bootstrap/node_config.h"
#include "api/driver/driver_cluster.h"
#include "api/driver/driver_machine.h"
#include "api/driver/driver_machine_pool.h"
#include "api/driver/driver_machine_template.h"
#include "api/names.h"
#include "api/policy/machine_lifecycle_policy.h"
#include "api/v1beta2/cluster.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_deployment.h"
#include "api/v1beta2/machine_health_check.h"
#include "api/v1beta2/machine_pool.h"
#include "api/v1beta2/machine_set.h"
#include "base/try.h"
#include "cmd/manager/cleanup_keys.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/lease_neighbour.h"
#include "webhooks/certificates/names.h"

namespace capstan::manager {
namespace {

namespace json = boost::json;

constexpr std::int64_t kPage = 500;
constexpr int kTries = 5;  // of a patch that met another writer's
constexpr auto kPatience = std::chrono::seconds(30);
constexpr std::string_view kCertificates = webhooks::certificates::kSecret;

kube::ObjectKey key_of(const json::value& object) {
  const auto* metadata = object.is_object() ? object.as_object().if_contains("metadata") : nullptr;
  const auto text = [&](std::string_view field) {
    const auto* value =
        metadata != nullptr && metadata->is_object() ? metadata->as_object().if_contains(field) : nullptr;
    return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
  };
  return {.namespace_ = text("namespace"), .name = text("name")};
}

// Of a built-in kind the name alone says enough.
std::string describe(const kube::Resource& resource, const kube::ObjectKey& key) {
  return fmt::format("{} {}", resource.kind, key.describe());
}

// What cleans one API server.
class Cleaner {
 public:
  Cleaner(const CleanupSeams& seams, const CleanupOptions& options, std::stop_token stop)
      : seams_(seams), options_(options), stop_(std::move(stop)) {}

  Result<void> clean_management() {
    for (const kube::Resource& resource : written_kinds())
      TRY(clean_kind(seams_.management, resource, {.namespace_ = options_.namespace_}));
    TRY(clean_kind(seams_.management, kube::resources::secrets(), {.name = std::string(kCertificates)}));
    return clean_kind(seams_.management, kube::resource_of<api::Lease>(), {});
  }
  Result<void> clean_workloads() {
    const auto clusters =
        kube::list<api::Cluster>(seams_.management, {.namespace_ = options_.namespace_}, deadline());
    if (!clusters && clusters.error().code == Code::NotFound) return {};  // the kind is not installed
    if (!clusters) return fail(clusters.error());
    for (const api::Cluster& cluster : clusters->items) {
      if (stop_.stop_requested()) return fail(Code::Cancelled, "told to stop");
      clean_workload(kube::key_of(cluster));
    }
    return {};
  }
  const CleanupSummary& summary() const { return summary_; }

 private:
  static std::vector<kube::Resource> written_kinds() {
    return {kube::resource_of<api::Cluster>(),
            kube::resource_of<api::MachineDeployment>(),
            kube::resource_of<api::MachineSet>(),
            kube::resource_of<api::Machine>(),
            kube::resource_of<api::MachinePool>(),
            kube::resource_of<api::MachineHealthCheck>(),
            kube::resource_of<api::MachineLifecyclePolicy>(),
            kube::resource_of<api::DriverCluster>(),
            kube::resource_of<api::DriverMachine>(),
            kube::resource_of<api::DriverMachinePool>(),
            kube::resource_of<api::DriverMachineTemplate>(),
            kube::resource_of<api::CloudConfig>(),
            kube::resource_of<api::NodeConfig>()};
  }

  // A Cluster that can't be reached holds up no other one.
  void clean_workload(const kube::ObjectKey& cluster) {
    auto client = seams_.dial(cluster);
    if (!client && client.error().code == Code::NotFound) return;
    const auto done = client ? clean_kind(**client, kube::resources::nodes(),
                                          {.owner = fmt::format(" of Cluster {}", cluster.describe())})
                             : Result<void>(fail(client.error()));
    if (done) {
      ++summary_.clusters;
      return;
    }
    ++summary_.failed;
    seams_.say(fmt::format("Nodes of Cluster {}: {}", cluster.describe(), done.error().describe()));
  }

  // Which objects of a kind: without a namespace those of all, without a name all of them.
  struct Which {
    std::string namespace_ = {};
    std::string name = {};
    std::string owner = {};  // " of Cluster ns/a", where they are in a workload cluster
  };
  Result<void> clean_kind(kube::Client& client, const kube::Resource& resource, const Which& which) {
    std::string next;
    do {
      if (stop_.stop_requested()) return fail(Code::Cancelled, "told to stop");
      const auto page =
          client.list(resource,
                      {.namespace_ = which.namespace_,
                       .field_selector = which.name.empty() ? std::string() : "metadata.name=" + which.name,
                       .limit = kPage,
                       .continue_token = next},
                      deadline());
      if (!page && page.error().code == Code::NotFound) return {};  // the kind is not installed
      if (!page) return fail(page.error().context("list " + resource.plural + which.owner));
      clean_page(client, resource, *page, which.owner);
      next = continue_token(*page);
    } while (!next.empty());
    return {};
  }

  void clean_page(kube::Client& client, const kube::Resource& resource, const json::value& page,
                  const std::string& where) {
    const auto* items = page.is_object() ? page.as_object().if_contains("items") : nullptr;
    if (items == nullptr || !items->is_array()) return;
    for (const json::value& object : items->as_array()) {
      ++summary_.looked_at;
      if (!found_on(object).empty()) clean(client, resource, object, where);
    }
  }

  void clean(kube::Client& client, const kube::Resource& resource, const json::value& object,
             const std::string& where) {
    const std::string subject = describe(resource, key_of(object)) + where;
    const auto words = fmt::format("{}", fmt::join(found_on(object), ", "));
    if (options_.dry_run) {
      ++summary_.changed;
      return seams_.say(fmt::format("{}: would take off {}", subject, words));
    }
    const auto done = patch(client, resource, object);
    ++(done ? summary_.changed : summary_.failed);
    seams_.say(done ? fmt::format("{}: took off {}", subject, words)
                    : fmt::format("{}: {} stays: {}", subject, words, done.error().describe()));
  }

  // A list that another writer has changed meanwhile is read again.
  Result<void> patch(kube::Client& client, const kube::Resource& resource, json::value object) {
    const kube::ObjectKey key = key_of(object);
    for (int tries = 1;; ++tries) {
      const auto done = take_off(client, resource, object);
      if (done || done.error().code == Code::NotFound) return {};
      if (done.error().code != Code::Conflict || tries == kTries) return fail(done.error());
      auto again = client.get(resource, key, deadline());
      if (!again && again.error().code == Code::NotFound) return {};
      object = TRY(std::move(again));
    }
  }

  Result<void> take_off(kube::Client& client, const kube::Resource& resource, json::value object) {
    const kube::ObjectKey key = key_of(object);
    const std::string manager(api::field_manager::kManager);
    if (const auto main = removal_patch(object))
      object = TRY(client.patch(resource, key, *main, {.field_manager = manager}, deadline()));
    if (const auto status = status_removal_patch(object))
      TRY(client.patch(resource, key, *status, {.subresource = "status", .field_manager = manager},
                       deadline()));
    return {};
  }

  static std::string continue_token(const json::value& page) {
    const auto* metadata = page.is_object() ? page.as_object().if_contains("metadata") : nullptr;
    const auto* token = metadata != nullptr && metadata->is_object()
                            ? metadata->as_object().if_contains("continue")
                            : nullptr;
    return token != nullptr && token->is_string() ? std::string(token->as_string()) : std::string();
  }

  Deadline deadline() const { return Deadline::in(seams_.clock, kPatience, stop_); }

  const CleanupSeams& seams_;
  const CleanupOptions& options_;
  const std::stop_token stop_;
  CleanupSummary summary_ = {};
};

// Of a holder that has noted its scope, and so is a Capstan.
Result<void> refuse_capstan(const api::Lease& lease) {
  if (lease.spec.holder_identity.view().empty() || !runtime::noted_scope(lease)) return {};
  return fail(Code::Conflict,
              fmt::format("Lease {}/{} is held by {}, a Capstan, which would write again what is taken off. "
                          "Stop it (kubectl scale --replicas=0) and start this again",
                          lease.metadata.namespace_.view(), lease.metadata.name.view(),
                          lease.spec.holder_identity.view()));
}

Result<void> check_that_none_runs(const CleanupSeams& seams, const std::stop_token& stop) {
  const Deadline deadline = Deadline::in(seams.clock, kPatience, stop);
  const auto leases = TRY(kube::list<api::Lease>(seams.management, {}, deadline));
  for (const api::Lease& lease : leases.items) {
    if (refuse_capstan(lease)) continue;
    TRY(runtime::check_holder({seams.clock, seams.threads, seams.management}, kube::key_of(lease),
                              refuse_capstan, {}, Deadline::never(stop)));
  }
  return {};
}

// To a dry run it is no reason to stop.
Result<void> tell_who_runs(const CleanupSeams& seams, const std::stop_token& stop) {
  const Deadline deadline = Deadline::in(seams.clock, kPatience, stop);
  const auto leases = TRY(kube::list<api::Lease>(seams.management, {}, deadline));
  for (const api::Lease& lease : leases.items) {
    if (const auto refused = refuse_capstan(lease); !refused)
      seams.say(fmt::format("without --dry-run this would refuse: {}", refused.error().message));
  }
  return {};
}

}  // namespace

std::string CleanupSummary::describe(bool dry_run) const {
  return fmt::format("{} {} of {} objects looked at; Nodes of {} workload clusters among them; {} failed",
                     dry_run ? "would change" : "changed", changed, looked_at, clusters, failed);
}

Result<CleanupSummary> clean_up(const CleanupSeams& seams, const CleanupOptions& options,
                                const std::stop_token& stop) {
  TRY(options.dry_run ? tell_who_runs(seams, stop) : check_that_none_runs(seams, stop));
  Cleaner cleaner(seams, options, stop);
  TRY(cleaner.clean_workloads());
  TRY(cleaner.clean_management());
  return cleaner.summary();
}

}  // namespace capstan::manager
