// What the pages say of the examples.
#include <gmock/gmock.h>

#include <algorithm>
#include <fstream>
#include <iterator>

namespace capstan::lint {
namespace {

constexpr std::ptrdiff_t kLongestDriver = 200;  // lines

TEST(Examples, ADriverInPythonTakesTwoHundredLines) {
  std::ifstream file("examples/driver-python/driver.py");
  ASSERT_TRUE(file) << "run it from the root of the repository";

  EXPECT_LE(std::count(std::istreambuf_iterator<char>(file), {}, '\n'), kLongestDriver);
}

}  // namespace
}  // namespace capstan::lint
