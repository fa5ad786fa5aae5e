#include "controllers/crdmigration/plan.h"

#include <gmock/gmock.h>

namespace capstan::controllers::crdmigration {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(PlanOfAMigration, IsPrintedWithFromAndTo) {
  const Plan page{.step = Step::RewritePage,
                  .rewrites = {{.key = {"default", "a"}, .resource_version = "1"},
                               {.key = {"default", "b"},
                                .resource_version = "2",
                                .managers = std::vector<std::string>{R"({"manager":"kubectl"})"}}}};
  const Plan prune{.step = Step::PruneVersions,
                   .stored_versions = {.from = {"v1beta1", "v1beta2"}, .to = "v1beta2"}};

  EXPECT_THAT(
      describe(page),
      ElementsAre("rewrite default/a", R"(rewrite default/b, field managers: -> [{"manager":"kubectl"}])"));
  EXPECT_THAT(describe(prune), ElementsAre("write status.storedVersions: [v1beta1, v1beta2] -> [v1beta2]"));
  EXPECT_THAT(describe({.step = Step::Note, .generation = 3}), ElementsAre("note generation 3"));
  EXPECT_THAT(describe({.step = Step::Wait}), IsEmpty());
}

}  // namespace
}  // namespace capstan::controllers::crdmigration
