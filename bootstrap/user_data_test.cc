#include "bootstrap/user_data.h"

#include <gmock/gmock.h>

namespace capstan::bootstrap {
namespace {

using testing::HasSubstr;

constexpr std::string_view kToken = "abcdef.0123456789abcdef";

MachineFacts worker() {
  return {.cluster = "c1",
          .machine = "m1",
          .endpoint = "10.0.0.1:6443",
          .join = JoinFacts{.authority_pem = "PEM\n", .token = std::string(kToken)}};
}

api::CloudConfigSpec asking(std::string_view text) {
  api::CloudConfigSpec spec;
  spec.join.emplace();
  spec.files.push_back({.path = "/etc/a"_text, .content = FreeText(text)});
  spec.commands.push_back(Text(text));
  return spec;
}

// File and first command, or why there are none.
std::string given(std::string_view text, const MachineFacts& facts) {
  const auto data = user_data(asking(text), facts);
  if (!data) return data.error().message;
  return data->files.back().content + " | " + data->commands.front();
}

TEST(Placeholders, AreTokenAndNameOfTheMachineHoweverTheyAreSpelt) {
  EXPECT_EQ(given("<<MACHINE_NAME>> <<BOOTSTRAP_TOKEN>>", worker()),
            "m1 abcdef.0123456789abcdef | m1 abcdef.0123456789abcdef");
  EXPECT_EQ(given("%3C%3CMACHINE_NAME%3E%3E=%3C%3CBOOTSTRAP_TOKEN%3E%3E", worker()),
            "m1=abcdef.0123456789abcdef | m1=abcdef.0123456789abcdef");
}

TEST(Placeholders, StandInTheDataOfEveryFormatBeforeItsTextsAreEncoded) {
  for (const std::string_view format : {"cloud-config", "ignition", "script"}) {
    api::CloudConfigSpec spec = asking("<<BOOTSTRAP_TOKEN>>");
    api::CloudConfigSpec written_out = asking(kToken);
    spec.format = written_out.format = Text(format);
    EXPECT_EQ(*render(spec, worker()), *render(written_out, worker())) << format;
  }
}

TEST(Placeholders, OfTheNameAreLeftToTheCloudInAPool) {
  MachineFacts pool = worker();
  pool.machine.clear();
  pool.machine_pool = "mp1";

  EXPECT_THAT(given("<<MACHINE_NAME>>", pool), HasSubstr("<<MACHINE_NAME>>"));
}

TEST(Placeholders, OfATokenAreRefusedWhereThereIsNone) {
  MachineFacts control_plane = worker();
  control_plane.join->token.clear();

  EXPECT_EQ(given("<<BOOTSTRAP_TOKEN>>", control_plane),
            "spec.files[0].content: <<BOOTSTRAP_TOKEN>> is for workers, with spec.join");
}

}  // namespace
}  // namespace capstan::bootstrap
