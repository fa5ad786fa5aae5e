#include "controllers/claims/removal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json.hpp>

#include "base/clock.h"
#include "kube/resources.h"
#include "kube/status.h"
#include "kube/stub_client.h"

namespace capstan::controllers::claims {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const ObjectKey kPod{.namespace_ = "apps", .name = "web-1"};

// A workload cluster that answers an eviction with that error.
class EvictionServer final : public kube::StubClient {
 public:
  explicit EvictionServer(Error refusal) : refusal_(std::move(refusal)) {}

  Result<void> evict(const ObjectKey&, const kube::DeleteOptions&, const Deadline&) override {
    return fail(refusal_);
  }
  Result<boost::json::value> get_path(std::string_view path, const Deadline&) override {
    if (path != "/api/v1" || !serves.is_object()) return fail(Code::Unavailable, "away");
    return serves;
  }
  Result<void> remove(const kube::Resource& resource, const ObjectKey& key,
                      const kube::DeleteOptions& options, const Deadline&) override {
    removed.push_back(resource.plural + " " + key.describe() + " " + options.uid.value_or("any"));
    return {};
  }

  boost::json::value serves = {};
  std::vector<std::string> removed = {};

 private:
  const Error refusal_;
};

boost::json::value list_of(const std::vector<std::string_view>& names) {
  boost::json::array resources;
  for (const auto name : names) resources.push_back(boost::json::object{{"name", name}});
  return {{"kind", "APIResourceList"}, {"resources", std::move(resources)}};
}

Error not_served() {
  return {.code = Code::Unavailable,
          .message = "http 404 without a Status",
          .reason = std::string(kube::kNotServed)};
}

Result<void> evict_from(EvictionServer& server) {
  const kube::DeleteOptions options{.uid = "uid-of-web-1"};
  return evict({.client = server, .pod = kPod, .options = options},
               Clearance::of_own_creation(api::Uid("uid-of-the-node")), Deadline::never());
}

TEST(Eviction, DeletesThePodWhereTheServerListsNoEvictions) {
  EvictionServer server(not_served());
  server.serves = list_of({"nodes", "pods"});

  EXPECT_TRUE(evict_from(server));
  EXPECT_THAT(server.removed, ElementsAre("pods apps/web-1 uid-of-web-1"));
}

TEST(Eviction, IsNoDeletionWhereOnlyThisAnswerWasLost) {
  EvictionServer lists_it(not_served());
  lists_it.serves = list_of({"pods", "pods/eviction"});
  EvictionServer says_nothing(not_served());
  EvictionServer knows_no_pods(not_served());
  knows_no_pods.serves = list_of({"nodes"});

  for (EvictionServer* server : {&lists_it, &says_nothing, &knows_no_pods}) {
    EXPECT_EQ(evict_from(*server).error().reason, kube::kNotServed);
    EXPECT_THAT(server->removed, IsEmpty());
  }
}

TEST(Eviction, IsNoDeletionWhereABudgetRefuses) {
  EvictionServer server({.code = Code::RateLimited, .message = "budget"});
  server.serves = list_of({"pods"});

  EXPECT_EQ(evict_from(server).error().code, Code::RateLimited);
  EXPECT_THAT(server.removed, IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::claims
