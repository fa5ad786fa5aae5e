#include "test/envtest/program_flags.h"

#include <gmock/gmock.h>

namespace capstan::envtest {
namespace {

using ::testing::ElementsAre;

TEST(ProgramFlags, ReplaceThoseOfTheSameNameAndLeaveTheOthers) {
  const std::vector<std::string> argv = {"kube-apiserver", "--mode=RBAC", "--mode-file=x", "--port=1"};

  EXPECT_THAT(with_flags(argv, {"--mode=Node,RBAC", "--new=1"}),
              ElementsAre("kube-apiserver", "--mode-file=x", "--port=1", "--mode=Node,RBAC", "--new=1"));
}

}  // namespace
}  // namespace capstan::envtest
