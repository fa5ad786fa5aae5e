#include "runtime/sync_state.h"

#include <gmock/gmock.h>

namespace capstan::runtime {
namespace {

using ::testing::Optional;
using ::testing::StartsWith;

struct CacheOf final : Observed {
  bool complete = false;
  std::string_view kind() const override { return "Machine"; }
  bool synced() const override { return complete; }
  api::ResourceVersion version() const override { return {}; }
  std::uint64_t epoch() const override { return 0; }
  std::optional<ObservedObject> look(const ObjectKey&) const override { return std::nullopt; }
  std::optional<Unreadable> unreadable(const ObjectKey&) const override { return std::nullopt; }
  std::vector<Unreadable> unreadable_in(std::string_view) const override { return {}; }
  std::size_t size() const override { return 0; }
  std::vector<ObjectKey> slice(std::size_t, std::size_t) const override { return {}; }
};

struct Listing final : InformerState {
  CacheOf machines = {};
  std::optional<Error> trouble = {};
  const Observed& cache() const override { return machines; }
  kube::WatchProgress progress() const override { return {.trouble = trouble}; }
  std::vector<kube::Quarantine> quarantined() const override { return {}; }
  void refresh_metrics() override {}
};

TEST(SyncState, SaysWhatKeepsACacheFromBeingComplete) {
  Listing listing;
  EXPECT_EQ(why_not_synced(listing), "not synced yet");
  EXPECT_EQ(not_synced({&listing}), "Machine is not synced yet");

  listing.trouble = Error{.code = Code::Forbidden, .message = "no right"};
  EXPECT_THAT(why_not_synced(listing), Optional(StartsWith("not synced: ")));

  listing.machines.complete = true;
  EXPECT_EQ(why_not_synced(listing), std::nullopt);
  EXPECT_EQ(not_synced({&listing}), std::nullopt);
}

}  // namespace
}  // namespace capstan::runtime
