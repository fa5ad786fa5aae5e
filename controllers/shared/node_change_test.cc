#include "controllers/shared/node_change.h"

#include <gtest/gtest.h>

#include "base/text.h"
#include "test/builders/node.h"

namespace capstan::controllers {
namespace {

TEST(NodeChangeInWords, SaysFromAndTo) {
  const api::Node node = builders::a_node("n").labelled("tier", "a").cordoned();

  EXPECT_EQ(describe({.labels = {{"tier"_text, "b"_text}, {"zone"_text, "1"_text}},
                      .taints = api::List<api::NodeTaint>{{.key = "x"_text, .effect = "NoSchedule"_text}},
                      .uncordon = true},
                     node),
            "labels.tier: a -> b, labels.zone: none -> 1, taints: [] -> [x:NoSchedule], "
            "unschedulable: true -> none");
}

TEST(NodeChangeInWords, SaysWhatGoes) {
  const api::Node node = builders::a_node("n").annotated("a", "1").annotated("b", "2");

  EXPECT_EQ(describe({.annotations = {{"a"_text, std::nullopt}}, .marks_off = {"b"_text}}, node),
            "annotations.a: 1 -> none, annotations.b: 2 -> none");
}

}  // namespace
}  // namespace capstan::controllers
