#include "api/v1beta2/naming.h"

#include <gtest/gtest.h>

namespace capstan::api {
namespace {

constexpr NameParts kParts = {.cluster = "c1", .machine_set = "ms1", .random = "x7k2p"};

TEST(RenderName, FillsInWhatItKnows) {
  EXPECT_EQ(render_name(kDefaultMachineNaming, kParts), "ms1-x7k2p");
  EXPECT_EQ(render_name("{{.cluster.name}}.{{\t.machineSet.name }}", kParts), "c1.ms1");
  EXPECT_EQ(render_name("plain", kParts), "plain");
}

TEST(RenderName, RefusesTheRestOfTheTemplateLanguage) {
  EXPECT_FALSE(render_name("{{ if .random }}a{{ end }}", kParts));
  EXPECT_FALSE(render_name("{{ .machineSet }}", kParts));
  EXPECT_FALSE(render_name("{{ .random ", kParts));
}

TEST(FittingName, KeepsWhatFits) {
  EXPECT_EQ(fitting_name(std::string(63, 'a'), "zzzzz"), std::string(63, 'a'));
}

TEST(FittingName, GivesTheEndAwayForFreshRandomness) {
  EXPECT_EQ(fitting_name(std::string(64, 'a'), "zzzzz"), std::string(58, 'a') + "zzzzz");
}

}  // namespace
}  // namespace capstan::api
