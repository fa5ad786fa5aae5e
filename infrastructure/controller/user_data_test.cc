#include "infrastructure/controller/user_data.h"

#include <gmock/gmock.h>

namespace capstan::infrastructure {
namespace {

std::string filled(std::string text) {
  const auto data = user_data_of("m-1", Secret<std::string>(std::move(text)));
  return data ? data->reveal() : data.error().describe();
}

TEST(UserData, NamesItsMachineHoweverThatIsAskedFor) {
  EXPECT_EQ(filled("a: <<MACHINE_NAME>>\nb: x%3C%3CMACHINE_NAME%3E%3Ey <<MACHINE_NAME>>"),
            "a: m-1\nb: xm-1y m-1");
}

TEST(UserData, StaysAsItIsWithoutAPlaceholder) {
  EXPECT_EQ(filled("#cloud-config\n<<MACHINE>> %3C%3C"), "#cloud-config\n<<MACHINE>> %3C%3C");
}

TEST(UserData, ThatAsksForATokenIsRefused) {
  for (const std::string_view text : {"token: <<BOOTSTRAP_TOKEN>>", "t=%3C%3CBOOTSTRAP_TOKEN%3E%3E"})
    EXPECT_EQ(
        filled(std::string(text)),
        "InvalidArgument: the user data asks for <<BOOTSTRAP_TOKEN>>, and this provider reaches no "
        "workload cluster to make one: use a CloudConfig with spec.join, or write a token in its place");
}

}  // namespace
}  // namespace capstan::infrastructure
