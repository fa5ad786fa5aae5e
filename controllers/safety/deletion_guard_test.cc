#include "controllers/safety/deletion_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/policy/names.h"

namespace capstan::controllers::safety {
namespace {

using testing::AllOf;
using testing::HasSubstr;

api::ObjectMeta owner(std::int64_t generation = 1) {
  api::ObjectMeta metadata;
  metadata.name = "web"_text;
  metadata.generation = generation;
  return metadata;
}

void confirm(api::ObjectMeta& metadata, std::string_view hash) {
  metadata.annotations.set(Text(api::policy::annotation::kConfirmDeletion), Text(hash));
}

std::vector<Doomed> machines(int count, int first = 1) {
  std::vector<Doomed> doomed;
  for (int i = first; i < first + count; ++i)
    doomed.push_back({.text = "m" + std::to_string(i), .identity = "uid-" + std::to_string(i)});
  return doomed;
}

GuardQuestion question(const api::ObjectMeta& owner, std::vector<Doomed> doomed, std::size_t governed = 10) {
  return {.kind = "MachineSet",
          .owner = owner,
          .policy = "care",
          .percent = 20,
          .governed = governed,
          .doomed = std::move(doomed)};
}

TEST(DeletionGuard, AllowsItsShare) {
  const auto web = owner();
  EXPECT_TRUE(ask_guard(question(web, machines(2))).open);
  EXPECT_FALSE(ask_guard(question(web, machines(3))).open);
}

TEST(DeletionGuard, AllowsOneMachineAlways) {
  const auto web = owner();
  EXPECT_TRUE(ask_guard(question(web, machines(1), 1)).open);
  EXPECT_TRUE(ask_guard(question(web, machines(1), 0)).open);
  EXPECT_FALSE(ask_guard(question(web, machines(2), 0)).open);
}

TEST(DeletionGuard, AsksHowManyThereAreOnlyWhereSeveralWouldGo) {
  const auto web = owner();
  auto uncounted = question(web, machines(1));
  uncounted.governed.reset();
  EXPECT_TRUE(ask_guard(uncounted).open);

  uncounted.doomed = machines(2);
  const auto verdict = ask_guard(uncounted);

  EXPECT_FALSE(verdict.open);
  EXPECT_TRUE(verdict.uncounted);
}

TEST(DeletionGuard, CountsTheMachinesOfAStep) {
  const auto web = owner();
  EXPECT_FALSE(
      ask_guard(question(web, {{.text = "3 Machines of MachineSet old", .identity = "old", .machines = 3}}))
          .open);
}

TEST(DeletionGuard, SaysWhatWouldGoAndHowToConfirmIt) {
  const auto web = owner();
  const auto asked = question(web, machines(3));
  EXPECT_THAT(
      ask_guard(asked).why,
      AllOf(HasSubstr("holds the deletion of 3 Machines, for it is more than 20% of 10: m1, m2, m3"),
            HasSubstr("capstan.dev/confirm-deletion: \"" + hash_of(asked) + "\" on this MachineSet")));
}

TEST(DeletionGuard, OpensOnceExactlyThatListIsConfirmed) {
  auto web = owner();
  confirm(web, hash_of(question(web, machines(3))));
  const auto verdict = ask_guard(question(web, machines(3)));
  EXPECT_TRUE(verdict.open);
  EXPECT_TRUE(verdict.confirmed);
}

TEST(DeletionGuard, IsNotOpenedByTheConfirmationOfAnotherList) {
  auto web = owner();
  confirm(web, hash_of(question(web, machines(3))));
  EXPECT_FALSE(ask_guard(question(web, machines(4))).open);
  EXPECT_FALSE(ask_guard(question(web, machines(3, 2))).open);
  EXPECT_THAT(ask_guard(question(web, machines(4))).why, HasSubstr("which is another list"));
}

TEST(DeletionGuard, TakesAConfirmationForTheRestOfItsListToo) {
  auto web = owner();
  confirm(web, hash_of(question(web, machines(6))));
  for (const int waiting : {1, 3, 5, 6}) {
    auto rest = question(web, machines(6 - waiting, waiting + 1));
    rest.confirmed = machines(waiting);
    EXPECT_TRUE(ask_guard(rest).confirmed) << waiting;
  }
  auto more = question(web, machines(4, 4));
  more.confirmed = machines(3);
  EXPECT_FALSE(ask_guard(more).open) << "a seventh has come";
}

TEST(DeletionGuard, IsNotOpenedByTheConfirmationOfAnotherGeneration) {
  auto later = owner(2);
  confirm(later, hash_of(question(owner(1), machines(3))));
  EXPECT_FALSE(ask_guard(question(later, machines(3))).open);
}

TEST(DeletionGuard, UsesNoConfirmationThatItDoesNotNeed) {
  auto web = owner();
  confirm(web, hash_of(question(web, machines(2))));
  EXPECT_FALSE(ask_guard(question(web, machines(2))).confirmed);
}

TEST(DeletionGuard, HasOneHashForAListInAnyOrder) {
  const auto web = owner();
  auto reversed = machines(3);
  std::ranges::reverse(reversed);
  EXPECT_EQ(hash_of(question(web, machines(3))), hash_of(question(web, reversed)));
}

}  // namespace
}  // namespace capstan::controllers::safety
