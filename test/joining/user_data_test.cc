#include "test/joining/user_data.h"

#include <gmock/gmock.h>

#include "bootstrap/cloud_config.h"
#include "bootstrap/ignition.h"
#include "bootstrap/script.h"

namespace capstan::joining {
namespace {

using testing::Contains;
using testing::Pair;

TEST(UserDataFiles, AreTheSameInEveryFormat) {
  const bootstrap::UserData data = {
      .files = {{.path = "/etc/a", .content = "one\n", .permissions = "0600", .owner = "root:root"},
                {.path = "/etc/b", .content = "two\n", .permissions = "0644", .owner = "root:root"}},
      .commands = {"true"}};

  for (const auto& [format, text] : {std::pair("cloud-config", bootstrap::cloud_config_text(data)),
                                     std::pair("ignition", bootstrap::ignition_text(data)),
                                     std::pair("script", bootstrap::script_text(data))}) {
    const auto files = files_in(format, text);
    EXPECT_THAT(files, Contains(Pair("/etc/a", "one\n"))) << format;
    EXPECT_THAT(files, Contains(Pair("/etc/b", "two\n"))) << format;
  }
}

}  // namespace
}  // namespace capstan::joining
