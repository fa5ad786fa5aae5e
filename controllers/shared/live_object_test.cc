#include "controllers/shared/live_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controllers/shared/server_fixture.h"
#include "test/fakes/recording_client.h"

namespace capstan::controllers {
namespace {

using State = LiveObject::State;
using testing::ElementsAre;
using testing::SizeIs;
using namespace std::chrono_literals;

const kube::Resource& kDefinitions = kube::resources::custom_resource_definitions();
const kube::Resource kBoxes = provider_resource("infrastructure.cluster.x-k8s.io", "Box", "boxes");
const api::ContractRef kBox{.api_group = Text(kBoxes.group), .kind = Text(kBoxes.kind), .name = Text("b1")};
const kube::ObjectKey kOwner{.namespace_ = std::string(builders::kNamespace), .name = "owner"};

// Serves v1alpha1, v1 and, no longer, v2; without any label of the contract.
json::value definition_without_contract() {
  json::value crd = provider_crd(kBoxes);
  crd.at("metadata").as_object().erase("labels");
  auto& versions = crd.at("spec").at("versions").as_array();
  for (const std::string_view name : {"v1alpha1", "v1", "v2"}) {
    json::value version = versions.front();
    version.at("name") = name;
    version.at("served") = name != "v2";
    version.at("storage") = name == "v1";
    versions.push_back(version);
  }
  versions.erase(versions.begin());
  return crd;
}

void make_box(FixtureServer& server) {
  server.make(kDefinitions, definition_without_contract());
  kube::Resource served = kBoxes;
  served.version = "v1";
  server.make(served, {{"apiVersion", served.api_version()},
                       {"kind", "Box"},
                       {"metadata", {{"name", "b1"}, {"namespace", builders::kNamespace}}},
                       {"spec", "garbled"}});
}

TEST(LookLive, ReadsAnObjectInTheHighestVersionThatIsServedWhateverItsSpec) {
  under_seeds([](fakes::Baton& baton) {
    FixtureServer server(baton);
    make_box(server);

    const auto seen = look_live(server.user, kBox, builders::kNamespace, Deadline::never());

    ASSERT_TRUE(seen) << seen.error().describe();
    EXPECT_EQ(seen->state, State::Present);
    EXPECT_EQ(seen->resource.version, "v1");
    EXPECT_EQ(seen->metadata.name, "b1");
    EXPECT_FALSE(seen->metadata.uid == api::Uid());
  });
}

TEST(LookLive, TellsAnObjectThatIsGoneFromADefinitionThatIsGone) {
  under_seeds([](fakes::Baton& baton) {
    FixtureServer server(baton);

    const auto undefined = look_live(server.user, kBox, builders::kNamespace, Deadline::never());
    server.make(kDefinitions, definition_without_contract());
    const auto gone = look_live(server.user, kBox, builders::kNamespace, Deadline::never());

    ASSERT_TRUE(undefined && gone);
    EXPECT_EQ(undefined->state, State::Undefined);
    EXPECT_EQ(gone->state, State::Gone);
  });
}

TEST(LiveLooks, AskOnceInHalfAMinuteWhileTheObjectIsThere) {
  under_seeds([](fakes::Baton& baton) {
    FixtureServer server(baton);
    make_box(server);
    fakes::RecordingClient client(server.user);
    LiveLooks looks(baton);

    for (int turn = 0; turn < 29; ++turn) {
      ASSERT_TRUE(looks.look(client, kOwner, kBox, Deadline::never()));
      baton.pause(Deadline::in(baton, 1s));
    }
    const auto early = client.take();
    baton.pause(Deadline::in(baton, 1s));
    ASSERT_TRUE(looks.look(client, kOwner, kBox, Deadline::never()));

    const std::string definition = "get customresourcedefinitions boxes.infrastructure.cluster.x-k8s.io";
    EXPECT_THAT(early, ElementsAre(definition, "get boxes b1"));
    EXPECT_THAT(client.described(), SizeIs(2));
  });
}

TEST(LiveLooks, NeverRememberThatAnObjectIsGone) {
  under_seeds([](fakes::Baton& baton) {
    FixtureServer server(baton);
    LiveLooks looks(baton);

    const auto before = looks.look(server.user, kOwner, kBox, Deadline::never());
    make_box(server);
    const auto after = looks.look(server.user, kOwner, kBox, Deadline::never());

    ASSERT_TRUE(before && after);
    EXPECT_EQ(before->state, State::Undefined);
    EXPECT_EQ(after->state, State::Present);
  });
}

}  // namespace
}  // namespace capstan::controllers
