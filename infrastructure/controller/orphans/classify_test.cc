// Whose a listed VM is, by what it carries.
#include "infrastructure/controller/orphans/classify.h"

#include <gmock/gmock.h>

#include "api/driver/names.h"

namespace capstan::infrastructure {
namespace {

namespace tag = api::driver::tag;

Vm a_vm(std::string_view key = "k1", std::string_view cluster_key = "ck") {
  return {.provider_id = "sim:///i-1",
          .name = "m1",
          .tags = {{std::string(tag::kClusterKey), std::string(cluster_key)},
                   {std::string(tag::kInstanceKey), std::string(key)},
                   {std::string(tag::kNamespace), "default"},
                   {std::string(tag::kName), "m1"}}};
}

Vm marked(Vm vm, std::string_view since = "2026-01-01T12:00:00Z") {
  vm.tags[std::string(tag::kOrphanSince)] = since;
  return vm;
}

Owners of_cluster() {
  Owners owners;
  owners.clusters["ck"] = {.namespace_ = "default", .name = "c1"};
  return owners;
}

TEST(Standing, IsAnOrphanWhenNothingKnowsItsKeyItsIdOrItsName) {
  EXPECT_EQ(standing_of(a_vm(), of_cluster()), Standing::Orphan);
}

TEST(Standing, IsForeignWithoutTheKeyOfAClusterThatIsHere) {
  Vm without;
  without.provider_id = "sim:///i-2";

  EXPECT_EQ(standing_of(a_vm("k1", "another"), of_cluster()), Standing::Foreign);
  EXPECT_EQ(standing_of(without, of_cluster()), Standing::Foreign) << "made by hand";
  EXPECT_EQ(standing_of(a_vm(""), of_cluster()), Standing::Foreign) << "not made by a provider";
  EXPECT_EQ(standing_of(a_vm(), Owners()), Standing::Foreign);
}

// Bad input: a driver that lies.
TEST(Standing, OfAVmWithoutAnIdThatAnObjectCouldNameIsForeign) {
  Vm nameless = a_vm();
  nameless.provider_id = {};
  Vm endless = a_vm();
  endless.provider_id = std::string(513, 'x');

  EXPECT_EQ(standing_of(nameless, of_cluster()), Standing::Foreign);
  EXPECT_EQ(standing_of(endless, of_cluster()), Standing::Foreign);
}

TEST(Standing, IsOwnedByAKeyThatIsWrittenDownBeforeTheVmIsThere) {
  Owners owners = of_cluster();
  owners.by_key["k1"] = "";

  EXPECT_EQ(standing_of(a_vm(), owners), Standing::Owned);
}

TEST(Standing, IsOwnedByWhatNamesItsProviderIdOrItsGroup) {
  Owners by_id = of_cluster();
  by_id.vms.insert("sim:///i-1");
  Owners by_group = of_cluster();
  by_group.groups.insert("g");
  Vm member = a_vm("g-0");
  member.tags[std::string(tag::kGroup)] = "g";

  EXPECT_EQ(standing_of(a_vm("another"), by_id), Standing::Owned);
  EXPECT_EQ(standing_of(member, by_group), Standing::Owned);
  EXPECT_EQ(standing_of(member, of_cluster()), Standing::Orphan);
}

TEST(Standing, IsKeptWhileAMachineOfItsNameIsBeingMade) {
  Owners owners = of_cluster();
  owners.names.insert({.namespace_ = "default", .name = "m1"});
  Owners elsewhere = of_cluster();
  elsewhere.names.insert({.namespace_ = "other", .name = "m1"});

  EXPECT_EQ(standing_of(a_vm(), owners), Standing::BeingMade);
  EXPECT_EQ(standing_of(a_vm(), elsewhere), Standing::Orphan);
}

TEST(Standing, IsASecondOneWhenTheObjectOfItsKeyNamesAnother) {
  Owners owners = of_cluster();
  owners.by_key["k1"] = "sim:///i-9";
  owners.vms.insert("sim:///i-9");

  EXPECT_EQ(standing_of(a_vm(), owners), Standing::Second);
  EXPECT_EQ(classify(a_vm(), owners, {})->named_instead, "sim:///i-9");
}

TEST(Standing, IsASecondOneWhenThePoolOfItsPlaceNamesAnother) {
  Owners owners = of_cluster();
  owners.groups.insert("g");
  owners.vms.insert("sim:///i-9");
  Vm second = a_vm("g-0");
  second.tags[std::string(tag::kGroup)] = "g";
  Vm first = second;
  first.provider_id = "sim:///i-9";
  add_members({second, first}, owners);

  EXPECT_EQ(standing_of(first, owners), Standing::Owned);
  EXPECT_EQ(standing_of(second, owners), Standing::Second);
  EXPECT_EQ(classify(second, owners, {})->named_instead, "sim:///i-9");

  second.tags[std::string(tag::kInstanceKey)] = "g-1";
  EXPECT_EQ(standing_of(second, owners), Standing::Owned) << "its place is its own";
}

TEST(Classify, ConfirmsWhatIsMarkedAndWasAnOrphanInTheListBefore) {
  const Owners owners = of_cluster();
  const ProviderIds before = {"sim:///i-1"};

  EXPECT_FALSE(classify(a_vm(), owners, {})->confirmed);
  EXPECT_FALSE(classify(a_vm(), owners, before)->confirmed)
      << "the mark was not written, or is not listed yet";
  EXPECT_FALSE(classify(marked(a_vm()), owners, {})->confirmed) << "the process that marked it is gone";
  EXPECT_TRUE(classify(marked(a_vm()), owners, before)->confirmed);
}

// Incident: the clock of the manager is an hour off.
TEST(Classify, CountsListsAndNotHoursSoThatAClockAnHourOffConfirmsNothing) {
  const auto from_the_future = classify(marked(a_vm(), "2999-01-01T00:00:00Z"), of_cluster(), {});
  const auto from_long_ago = classify(marked(a_vm(), "1999-01-01T00:00:00Z"), of_cluster(), {});

  EXPECT_FALSE(from_the_future->confirmed);
  EXPECT_FALSE(from_long_ago->confirmed);
}

TEST(Classify, FindsAnOwnedVmOnlyToTakeItsMarkOff) {
  Owners owners = of_cluster();
  owners.vms.insert("sim:///i-1");

  EXPECT_EQ(classify(a_vm(), owners, {}), std::nullopt);
  EXPECT_EQ(classify(marked(a_vm()), owners, {"sim:///i-1"})->standing, Standing::Owned);
  EXPECT_FALSE(classify(marked(a_vm()), owners, {"sim:///i-1"})->confirmed);
}

TEST(Classify, TakesAMarkThatIsNoTimeForAMark) {
  EXPECT_TRUE(classify(marked(a_vm(), "garbage"), of_cluster(), {"sim:///i-1"})->confirmed);
}

}  // namespace
}  // namespace capstan::infrastructure
