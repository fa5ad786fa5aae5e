#include "cmd/program/missing_rights.h"

#include <gmock/gmock.h>

#include "test/fakes/collecting_sink.h"
#include "test/fakes/fake_clock.h"

namespace capstan::program {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(MissingRights, AreNamedOnceEachWithTheRuleThatHelps) {
  fakes::CollectingSink lines;
  const fakes::FakeClock clock;
  const MissingRights missing_rights{Log(lines, clock)};
  const auto list = [&](std::string_view plural, int status) {
    const std::string path = "/apis/cluster.x-k8s.io/v1beta2/" + std::string(plural);
    missing_rights({.method = "GET", .path = path, .status = status, .stream = true});
  };

  list("machines", 403);
  list("machines", 403);
  list("machinesets", 200);
  list("machinepools", 403);

  EXPECT_THAT(lines.lines(), ElementsAre(AllOf(HasSubstr("a right is missing"), HasSubstr("machines")),
                                         HasSubstr("machinepools")));
}

}  // namespace
}  // namespace capstan::program
