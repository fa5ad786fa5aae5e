#include "controllers/safety/template_annotations.h"

#include <gtest/gtest.h>

namespace capstan::controllers::safety {
namespace {

TEST(TemplateAnnotations, GoOnToMachinesUnlessTheyConcernOneOfThem) {
  api::Labels in_template;
  for (const std::string_view key :
       {"team", "capstan.dev/preserve", "capstan.dev/drain-timeout-seconds", "capstan.dev/replace",
        "capstan.dev/fleet-request", "capstan.dev/fleet-grant", "capstan.dev/deleted-for",
        "capstan.dev/replacement-granted", "capstan.dev/in-place-update", "capstan.dev/preserve-until",
        "capstan.dev/auto-preserved", "capstan.dev/abandon-vm", "capstan.dev/resource-exhausted-until"})
    in_template.set(Text(key), Text("x"));

  const api::Labels given = annotations_from(in_template);

  EXPECT_EQ(given.size(), 3U);
  EXPECT_TRUE(given.contains("team"));
  EXPECT_TRUE(given.contains("capstan.dev/preserve"));
  EXPECT_TRUE(given.contains("capstan.dev/drain-timeout-seconds"));
}

}  // namespace
}  // namespace capstan::controllers::safety
