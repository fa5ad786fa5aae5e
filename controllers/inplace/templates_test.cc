#include "controllers/inplace/templates.h"

#include <gtest/gtest.h>

#include "test/builders/machine_deployment.h"
#include "test/builders/machine_set.h"

namespace capstan::controllers::inplace {
namespace {

using builders::noon;

api::MachineTemplate a_template() { return builders::machine_template_of("t1"); }

TEST(Templates, AnotherVersionIsUpdatedInPlace) {
  auto to = a_template();
  to.spec.version = "v1.36.0"_text;

  EXPECT_TRUE(differ_in_place(a_template(), to));
}

TEST(Templates, AnotherBootstrapTemplateOfTheSameKindIsUpdatedInPlace) {
  auto to = a_template();
  to.spec.bootstrap.config_ref->name = "t2"_text;
  EXPECT_TRUE(differ_in_place(a_template(), to));

  to.spec.bootstrap.config_ref->kind = "OtherConfigTemplate"_text;
  EXPECT_FALSE(differ_in_place(a_template(), to));

  to.spec.bootstrap.config_ref.reset();
  to.spec.bootstrap.data_secret_name = "data"_text;
  EXPECT_FALSE(differ_in_place(a_template(), to));
}

TEST(Templates, WhateverElseDiffersRolls) {
  auto to = a_template();
  to.spec.infrastructure_ref.name = "t2"_text;
  EXPECT_FALSE(differ_in_place(a_template(), to));

  to = a_template();
  to.spec.failure_domain = "b"_text;
  EXPECT_FALSE(differ_in_place(a_template(), to));

  to = a_template();
  to.metadata.annotations.set("capstan.dev/rollout-hash"_text, "monday"_text);
  EXPECT_FALSE(differ_in_place(a_template(), to));
}

TEST(Templates, MachinesOlderThanRolloutAfterAreReplaced) {
  const auto set = builders::a_machine_set("old").with([](api::MachineSet& each) {
    each.spec.machine_template = builders::a_machine_deployment().build().spec.machine_template;
    each.metadata.creation_timestamp = noon() + Seconds(-60);
  });
  const auto deployment = builders::a_machine_deployment().version("v1.36.0").rollout_after(noon()).build();

  EXPECT_TRUE(are_updatable(deployment, set.build(), false));
  EXPECT_FALSE(are_updatable(deployment, set.build(), true));
}

}  // namespace
}  // namespace capstan::controllers::inplace
