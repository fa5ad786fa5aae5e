#include "kube/typed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/json_patch.h"
#include "kube/stub_client.h"
#include "kube/test_kinds.h"

namespace capstan::kube {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::string_view kWidget = R"({"apiVersion":"example.com/v1","kind":"Widget",
  "metadata":{"name":"a","namespace":"ns","resourceVersion":"7","uid":"0a","finalizers":["other"]},
  "spec":{"size":1},"status":{"phase":"New","marks":["m"]}})";

// Answers every verb with one document, or one error, and remembers what it was asked.
class EchoClient final : public StubClient {
 public:
  Result<json::value> get(const Resource& resource, const ObjectKey& key, const Deadline&) override {
    asked.push_back("get " + resource.plural + " " + key.describe());
    return answer;
  }
  Result<json::value> list(const Resource&, const ListOptions& options, const Deadline&) override {
    asked.push_back("list " + std::to_string(options.limit) + " " + options.continue_token);
    if (pages.empty()) return answer;
    json::value page = std::move(pages.front());
    pages.erase(pages.begin());
    return page;
  }
  Result<json::value> create(const Resource&, const ObjectKey& key, const json::value& object,
                             const WriteOptions&, const Deadline&) override {
    asked.push_back("create " + key.describe() + " " + json::serialize(object));
    return answer;
  }
  Result<json::value> patch(const Resource&, const ObjectKey& key, const json::value& body,
                            const PatchOptions& options, const Deadline&) override {
    asked.push_back("patch " + key.describe() + " " + options.subresource + " " + json::serialize(body));
    last = options;
    return answer;
  }
  Result<void> remove(const Resource&, const ObjectKey& key, const DeleteOptions&, const Deadline&) override {
    asked.push_back("remove " + key.describe());
    if (!answer) return fail(answer.error());
    return {};
  }

  Result<json::value> answer = json::parse(kWidget);
  std::vector<json::value> pages;
  std::vector<std::string> asked;
  PatchOptions last;
};

Widget widget() { return *api::decode<Widget>(kWidget); }
const Deadline kNever = Deadline::never();

TEST(Typed, GetDecodesAndNamesItsKind) {
  EchoClient client;

  const auto got = get<Widget>(client, {"ns", "a"}, kNever);

  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->spec.size, 1);
  EXPECT_THAT(client.asked, ElementsAre("get widgets ns/a"));
}

TEST(Typed, AProjectionIsReadByItsResource) {
  EchoClient client;

  const auto got = get<WidgetSight>(client, resource_of<Widget>(), {"ns", "a"}, kNever);

  EXPECT_EQ(got->metadata.name, "a");
}

TEST(Typed, ErrorsSayWhatWasTriedWithWhat) {
  EchoClient client;
  client.answer = fail(Error{.code = Code::NotFound, .message = "not found"});

  EXPECT_EQ(get<Widget>(client, {"ns", "a"}, kNever).error().message, "get Widget ns/a: not found");
  EXPECT_EQ(get<Widget>(client, {"ns", "a"}, kNever).error().code, Code::NotFound);
  EXPECT_EQ(remove<Widget>(client, {"ns", "a"}, {}, kNever).error().message, "delete Widget ns/a: not found");
  EXPECT_EQ(list<Widget>(client, {.namespace_ = "ns"}, kNever).error().message, "list Widget ns: not found");
}

TEST(Typed, AnAnswerOfAnotherShapeIsAnError) {
  EchoClient client;
  client.answer = json::parse(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"a"}})");

  EXPECT_THAT(get<Widget>(client, {"ns", "a"}, kNever).error().message, HasSubstr("get Widget ns/a"));
}

TEST(Typed, ListFollowsPages) {
  EchoClient client;
  client.pages = {
      json::parse(
          R"({"metadata":{"resourceVersion":"9","continue":"c"},"items":[{"metadata":{"name":"a"}}]})"),
      json::parse(R"({"metadata":{"resourceVersion":"9"},"items":[{"metadata":{"name":"b"}}]})")};

  const auto listed = list<Widget>(client, {}, kNever);

  ASSERT_TRUE(listed) << listed.error().message;
  EXPECT_EQ(listed->items.size(), 2U);
  EXPECT_EQ(listed->version, "9");
  EXPECT_THAT(client.asked, ElementsAre("list 500 ", "list 500 c"));
}

TEST(Typed, ListFailsRatherThanMissAnItem) {
  EchoClient client;
  client.answer = json::parse(R"({"metadata":{},"items":[{"metadata":{"name":"bad"},"spec":7}]})");

  EXPECT_THAT(list<Widget>(client, {}, kNever).error().message, HasSubstr("bad"));
}

TEST(Typed, ListDoesNotGoRoundInCircles) {
  EchoClient client;
  client.answer = json::parse(R"({"metadata":{"continue":"same"},"items":[]})");

  EXPECT_FALSE(list<Widget>(client, {}, kNever));
}

TEST(Typed, CreateSendsTypeAndObject) {
  EchoClient client;

  ASSERT_TRUE(create(client, widget(), {}, kNever));

  EXPECT_THAT(client.asked.at(0), HasSubstr(R"("apiVersion":"example.com/v1","kind":"Widget")"));
}

TEST(Typed, AnEmptyPatchIsNoRequest) {
  EchoClient client;

  const auto main = patch(client, widget(), widget(), kNever);
  const auto status = patch_status(client, widget(), widget(), kNever);

  EXPECT_FALSE(main->has_value());
  EXPECT_FALSE(status->has_value());
  EXPECT_THAT(client.asked, ElementsAre());
}

TEST(Typed, PatchesGoToTheirHalf) {
  EchoClient client;
  Widget after = widget();
  after.spec.size = 2;
  after.status.phase = Text("Old");

  ASSERT_TRUE(patch(client, widget(), after, kNever)->has_value());
  ASSERT_TRUE(patch_status(client, widget(), after, kNever)->has_value());

  EXPECT_THAT(client.asked, ElementsAre(R"(patch ns/a  {"spec":{"size":2}})",
                                        R"(patch ns/a status {"status":{"phase":"Old"}})"));
}

TEST(Typed, AFinalizerIsWrittenWithATest) {
  EchoClient client;

  ASSERT_TRUE(add_finalizer(client, widget(), "mine", kNever)->has_value());
  ASSERT_TRUE(remove_finalizer(client, widget(), "other", kNever)->has_value());
  ASSERT_FALSE(remove_finalizer(client, widget(), "mine", kNever)->has_value());

  EXPECT_EQ(client.last.type, PatchType::Json);
  EXPECT_EQ(client.asked.size(), 2U);
  EXPECT_THAT(client.asked.at(0), HasSubstr(R"("op":"test")"));
}

TEST(Typed, AFinalizerTestThatFailedIsAConflict) {
  EchoClient client;
  client.answer =
      fail(Error{.code = Code::Invalid, .message = "test failed", .reason = std::string(kTestFailed)});

  EXPECT_EQ(add_finalizer(client, widget(), "mine", kNever).error().code, Code::Conflict);
}

TEST(Typed, AFinalizerRefusedForItsNameIsNotAConflict) {
  EchoClient client;
  client.answer =
      fail(Error{.code = Code::Invalid, .message = "no", .causes = {{.field = "metadata.finalizers[1]"}}});

  EXPECT_EQ(add_finalizer(client, widget(), "mine", kNever).error().code, Code::Invalid);
}

TEST(Typed, ApplyIsForcedNamedAndBoundToTheObjectItKnows) {
  EchoClient client;
  const Widget present = widget();

  ASSERT_TRUE(apply<Widget>(client, widget(), &present, "me", kNever)->has_value());
  const PatchOptions sent = client.last;
  ASSERT_TRUE(apply<Widget>(client, widget(), nullptr, "me", kNever)->has_value());

  EXPECT_EQ(sent.type, PatchType::Apply);
  EXPECT_EQ(sent.field_manager, "me");
  EXPECT_TRUE(sent.force);
  EXPECT_THAT(client.asked.at(0), HasSubstr(R"("uid":"0a")"));
  EXPECT_THAT(client.asked.at(1), ::testing::Not(HasSubstr("uid")));
}

TEST(Typed, ApplyIsNotSentTwice) {
  EchoClient client;
  client.answer = json::parse(R"({"apiVersion":"example.com/v1","kind":"Widget",
    "metadata":{"name":"a","namespace":"ns","uid":"0a","managedFields":[{"manager":"me","operation":"Apply",
      "fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:size":{}}}}]},"spec":{"size":1}})");
  Widget wanted;
  wanted.metadata.name = Text("a");
  wanted.metadata.namespace_ = Text("ns");
  wanted.spec.size = 1;
  const auto first = apply<Widget>(client, wanted, nullptr, "me", kNever);
  ASSERT_TRUE(first->has_value());
  const Widget applied = *api::from_json<Widget>(*client.answer);

  const auto second = apply<Widget>(client, wanted, &applied, "me", kNever);

  EXPECT_FALSE(second->has_value());
  EXPECT_EQ(client.asked.size(), 1U);
}

}  // namespace
}  // namespace capstan::kube
