#include "api/meta/selects.h"

#include <gtest/gtest.h>

namespace capstan::api {
namespace {

LabelSelector with(Text key, Text op, std::vector<Text> values = {}) {
  LabelSelector selector;
  selector.match_expressions = {
      {.key = std::move(key), .operator_ = std::move(op), .values = std::move(values)}};
  return selector;
}

LabelSelector with_label(Text key, Text value) {
  LabelSelector selector;
  selector.match_labels.set(std::move(key), std::move(value));
  return selector;
}

std::vector<LabelSelector> all_selectors() {
  std::vector<LabelSelector> all = {{}, with_label("a"_text, "1"_text)};
  for (const Text& op : {"In"_text, "NotIn"_text, "Exists"_text, "DoesNotExist"_text, "Near"_text, ""_text})
    for (const std::vector<Text>& values :
         {std::vector<Text>{}, {"1"_text}, {"1"_text, "2"_text}, {""_text}}) {
      all.push_back(with("a"_text, op, values));
      all.push_back(with("a"_text, op, values));
      all.back().match_labels.set("b"_text, "2"_text);
      all.push_back(with("a"_text, op, values));
      all.back().match_expressions.push_back({.key = "b"_text, .operator_ = "Exists"_text});
    }
  return all;
}

std::vector<TextMap> all_labels() {
  std::vector<TextMap> all(5);
  all[1].set("a"_text, "1"_text);
  all[2].set("a"_text, "2"_text);
  all[2].set("b"_text, "2"_text);
  all[3].set("b"_text, "2"_text);
  all[4].set("a"_text, ""_text);
  return all;
}

TEST(Selects, SaysWhatTheCompiledSelectorSays) {
  for (const LabelSelector& selector : all_selectors()) {
    const auto compiled = Selector::from(selector);
    for (const TextMap& labels : all_labels()) {
      EXPECT_EQ(selects(selector, labels), compiled && compiled->matches(labels))
          << (compiled ? compiled->str() : compiled.error().message);
    }
  }
}

}  // namespace
}  // namespace capstan::api
