#include "api/schema/yaml.h"

#include <gmock/gmock.h>

#include <boost/json.hpp>
#include <random>

namespace capstan::api {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

json::value read(std::string_view text) {
  auto value = parse_yaml(text);
  EXPECT_TRUE(value) << value.error().message;
  return value ? *value : json::value();
}

std::string fault(std::string_view text) {
  const auto value = parse_yaml(text);
  return value ? "no error" : value.error().message;
}

TEST(ParseYaml, TypesPlainScalarsByTheCoreSchema) {
  const json::value value = read(R"(
null: [~, null, Null, ]
bool: [true, True, false, FALSE]
int: [0, -7, +7, 0x1F, 0o17, 9223372036854775808, -9223372036854775808]
float: [1.5, -.5, 1e3, 1., 123456789012345678901234567890]
string: [yes, no, on, 0b1, 1.2.3, 12:30, 2001-01-01, "1", '2', 0x, 1e, ., -, +]
tagged: [!!str 1, !!int "7"]
)");

  EXPECT_EQ(json::serialize(value.at("null")), "[null,null,null]");
  EXPECT_EQ(json::serialize(value.at("bool")), "[true,true,false,false]");
  EXPECT_EQ(json::serialize(value.at("int")), "[0,-7,7,31,15,9223372036854775808,-9223372036854775808]");
  EXPECT_EQ(value.at("float"), json::value({1.5, -0.5, 1000.0, 1.0, 123456789012345678901234567890.0}));
  EXPECT_EQ(json::serialize(value.at("string")),
            R"(["yes","no","on","0b1","1.2.3","12:30","2001-01-01","1","2","0x","1e",".","-","+"])");
  EXPECT_EQ(json::serialize(value.at("tagged")), R"(["1",7])");
}

TEST(ParseYaml, ReadsManifests) {
  const auto documents =
      parse_yaml_documents("---\nkind: A\n---\n# nothing\n---\nkind: B\ntext: |\n  a\n  b\n1: x\n...\n");

  ASSERT_TRUE(documents) << documents.error().message;
  ASSERT_EQ(documents->size(), 2U);
  EXPECT_EQ(documents->at(1), json::parse(R"({"kind":"B","text":"a\nb\n","1":"x"})"));
}

TEST(ParseYaml, CopiesWhatAnAliasStandsFor) {
  EXPECT_EQ(read("a: &x {b: 1}\nc: *x\n"), json::parse(R"({"a":{"b":1},"c":{"b":1}})"));
}

TEST(ParseYaml, RefusesWhatCannotBeMeant) {
  EXPECT_EQ(fault("a: 1\nb: 2\na: 3\n"), "yaml line 3: the key a stands there twice");
  EXPECT_EQ(fault("? [a]\n: 1\n"), "yaml line 1: a key must be a scalar");
  EXPECT_EQ(fault("a: &x {}\nb:\n  <<: *x\n"), "yaml line 3: merge keys (<<) are not understood");
  EXPECT_THAT(fault("a: !!binary aGk="), HasSubstr("unknown tag"));
  EXPECT_THAT(fault("a: .inf"), HasSubstr("no place in JSON"));
  EXPECT_THAT(fault("a: *x"), StartsWith("yaml line 1"));
  EXPECT_THAT(fault("a: &x [*x]"), HasSubstr("alias"));
  EXPECT_THAT(fault("a: [1"), StartsWith("yaml line"));
  EXPECT_EQ(fault(", b"), "yaml line 1: a comma or bracket that belongs to nothing");
  EXPECT_THAT(fault("a: b: c"), StartsWith("yaml line 1"));
  EXPECT_EQ(fault("a: 1\nb: \x01\n"), "yaml line 2: a control character");
  EXPECT_EQ(fault(std::string_view("a\0b", 3)), "yaml line 1: a control character");
  EXPECT_EQ(fault("a: \xff"), "yaml line 1: no utf-8");
  EXPECT_EQ(fault("a: \xc3"), "yaml line 1: no utf-8");
  EXPECT_EQ(fault("a: \xed\xa0\x80"), "yaml line 1: no utf-8");
  EXPECT_EQ(fault(R"(a: "\N")"), "yaml line 1: an escape that is no character");
  EXPECT_EQ(fault(""), "expected one yaml document, found 0");
  EXPECT_EQ(fault("a: 1\n---\nb: 2\n"), "expected one yaml document, found 2");
}

TEST(ParseYaml, BoundsDepthAndCopies) {
  EXPECT_EQ(fault(std::string(64, '[') + std::string(64, ']')), "no error");
  EXPECT_THAT(fault(std::string(65, '[') + std::string(65, ']')), HasSubstr("nested deeper than 64 levels"));
  EXPECT_NE(fault(std::string(20000, '[')), "no error");

  std::string bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n";
  for (int i = 1; i < 10; ++i) {
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int j = 0; j < 10; ++j) bomb += (j == 0 ? "*a" : ",*a") + std::to_string(i - 1);
    bomb += "]\n";
  }
  EXPECT_THAT(fault(bomb), HasSubstr("too many copies"));
}

TEST(WriteYaml, SortsKeysAndFoldsLongText) {
  const std::string words(130, 'w');

  EXPECT_EQ(
      write_yaml(json::parse(
          R"({"b":[{"z":1,"a":{}},[],["x",["v"]]],"a":{"c":null,"b":true},"m":1.0,"s":"v1.30"})")),
      "a:\n  b: true\n  c: null\nb:\n- a: {}\n  z: 1\n- []\n-\n  - x\n  -\n    - v\nm: 1.0\ns: v1.30\n");
  EXPECT_EQ(write_yaml({{"doc", words + " end"}}), "doc: >-\n  " + words + "\n  end\n");
  EXPECT_EQ(write_yaml({{"doc", "one\n\n  two"}}), "doc: |-\n  one\n\n    two\n");
}

TEST(WriteYaml, QuotesWhatWouldBeReadAsSomethingElse) {
  for (const std::string_view text :
       {"",     "\uFEFFa", "true", "No",  "1",   "1.30",     "0x1",        "~",   "- a",
        "a: b", "a #b",    " a",   "a ",  "#",   "12:30:00", "2001-01-01", "a:",  "*a",
        "'",    "\"",      "@",    "`",   "%",   "null",     ".5",         "1e3", "=",
        "<<",   "a\tb",    "\x01", "a\n", "\na", "a\n b\n",  "-",          "?",   "a \nb"}) {
    const std::string written = write_yaml({{"v", text}});
    EXPECT_EQ(read(written).at("v"), json::value(text)) << written;
  }
}

std::string random_text(std::mt19937& random) {
  constexpr std::string_view kPieces[] = {"a",  "1",  " ",    ":",   "#",      "-", "\n", "'",
                                          "\"", "\t", "true", "x y", "\u00e9", "{", "|",  "\\"};
  std::string out;
  for (auto left = random() % 12; left > 0; --left) out += kPieces[random() % std::size(kPieces)];
  if (random() % 8 == 0) {
    for (int i = 0; i < 40; ++i) out += " word";
  }
  return out;
}

json::value random_value(std::mt19937& random, int depth) {
  switch (random() % (depth > 3 ? 5 : 7)) {
    case 0: return nullptr;
    case 1: return random() % 2 == 0;
    case 2: return static_cast<std::int64_t>(random()) - 1000000;
    case 3: return static_cast<double>(random()) / 16.0;
    case 4: return json::string(random_text(random));
    case 5: {
      json::array list;
      for (auto left = random() % 4; left > 0; --left) list.push_back(random_value(random, depth + 1));
      return list;
    }
    default: {
      json::object object;
      for (auto left = random() % 4; left > 0; --left)
        object[random_text(random)] = random_value(random, depth + 1);
      return object;
    }
  }
}

TEST(WriteYaml, IsReadBackAsItWasForAnyDocument) {
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    std::mt19937 random(seed);
    const json::value value = json::object{{"root", random_value(random, 0)}};
    const std::string text = write_yaml(value);
    const auto back = parse_yaml(text);
    ASSERT_TRUE(back) << "seed " << seed << ": " << back.error().message << "\n" << text;
    ASSERT_EQ(*back, value) << "seed " << seed << "\n" << text << "\n" << json::serialize(value);
  }
}

}  // namespace
}  // namespace capstan::api
