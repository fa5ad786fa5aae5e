#include "bootstrap/script.h"

#include <gmock/gmock.h>

#include "base/base64.h"

namespace capstan::bootstrap {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Script, WritesAFileForRootBeforeItHasItsMode) {
  const std::string text = script_text(
      {.files = {
           {.path = "/etc/x/token", .content = "secret\n", .permissions = "0600", .owner = "root:root"}}});

  EXPECT_THAT(text, StartsWith("#!/bin/sh\n"));
  EXPECT_THAT(text, HasSubstr("mkdir -p '/etc/x/'\n"
                              "(umask 077 && printf %s " +
                              base64_encode("secret\n") +
                              " | base64 -d > '/etc/x/token')\n"
                              "chown 'root:root' '/etc/x/token'\n"
                              "chmod 0600 '/etc/x/token'\n"));
}

TEST(Script, RunsTheCommandsLastAndInTheirOrder) {
  const std::string text = script_text({.hostname = "m1", .commands = {"echo one", "touch /run/done"}});

  EXPECT_THAT(text, HasSubstr("hostnamectl set-hostname 'm1'\n"));
  EXPECT_THAT(text, EndsWith("echo one\ntouch /run/done\n"));
}

TEST(Script, MakesOneWordOfAPathWithAQuote) {
  const std::string text =
      script_text({.files = {{.path = "/etc/a'; reboot #", .permissions = "0644", .owner = "root:root"}}});

  EXPECT_THAT(text, HasSubstr(R"(chmod 0644 '/etc/a'\''; reboot #')"));
  EXPECT_THAT(text, Not(HasSubstr("hostnamectl")));
}

}  // namespace
}  // namespace capstan::bootstrap
