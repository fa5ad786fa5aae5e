#include "controllers/shared/pause.h"

#include <gtest/gtest.h>

#include "test/builders/cluster.h"

namespace capstan::controllers {
namespace {

api::ObjectMeta annotated() {
  api::ObjectMeta object;
  object.annotations.set(Text(api::annotation::kPaused), Text());
  return object;
}

TEST(PauseOf, AnObjectOfAPausedClusterIsPaused) {
  api::Cluster cluster = builders::a_cluster();
  cluster.spec.paused = true;

  EXPECT_TRUE(pause_of(&cluster, {}, "Machine").paused);
}

TEST(PauseOf, AClusterThatSaysNothingOrFalseDoesNotPause) {
  api::Cluster cluster = builders::a_cluster();
  cluster.spec.paused = std::nullopt;
  EXPECT_FALSE(pause_of(&cluster, {}, "Machine").paused);

  cluster.spec.paused = false;
  EXPECT_FALSE(pause_of(&cluster, {}, "Machine").paused);
}

TEST(PauseOf, WithoutAClusterOnlyTheAnnotationCounts) {
  EXPECT_FALSE(pause_of(nullptr, {}, "Machine").paused);
  EXPECT_TRUE(pause_of(nullptr, annotated(), "Machine").paused);
}

}  // namespace
}  // namespace capstan::controllers
