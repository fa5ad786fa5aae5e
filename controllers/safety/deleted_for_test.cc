#include "controllers/safety/deleted_for.h"

#include <gtest/gtest.h>

#include "test/builders/machine.h"

namespace capstan::controllers::safety {
namespace {

using builders::a_machine;

TEST(DeletedFor, IsAUsersDeletionWithoutAWord) {
  EXPECT_FALSE(is_deleted_by_a_controller(a_machine("m1").deleting().build()));
}

TEST(DeletedFor, IsAControllersThatSaidSoOrWasGrantedIt) {
  EXPECT_TRUE(
      is_deleted_by_a_controller(a_machine("m1").annotated(kDeletedFor, "ScaleIn").deleting().build()));
  EXPECT_TRUE(
      is_deleted_by_a_controller(a_machine("m1")
                                     .annotated(api::policy::annotation::kReplacementGranted, "NodeNotReady")
                                     .deleting()
                                     .build()));
}

}  // namespace
}  // namespace capstan::controllers::safety
