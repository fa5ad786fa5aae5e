// Garbage collection by owner references: background, foreground, orphan.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

constexpr auto kPatience = std::chrono::seconds(30);

json::value child(std::string_view name, const json::value& owner, std::string_view extra = "") {
  return parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + std::string(name) +
               R"(","ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":")" +
               std::string(at(owner, "metadata.name").as_string()) + R"(","uid":")" +
               std::string(at(owner, "metadata.uid").as_string()) + "\"" + std::string(extra) + "}]}}");
}

bool is_gone(Session& s, std::string_view name) { return s.get(s.core("configmaps", name)).status == 404; }

const Script kScripts[] = {
    {"owners: background deletion takes the children after the owner",
     [](Session& s) {
       const auto owner = s.made_config_map("owner");
       s.made(s.core("configmaps"), child("child", owner));

       s.remove(s.core("configmaps", "owner"), R"({"propagationPolicy":"Background"})");

       s.expect(is_gone(s, "owner"), "the owner goes at once");
       s.eventually("the child is collected", [&] { return is_gone(s, "child"); }, kPatience);
     }},
    {"owners: grandchildren go too",
     [](Session& s) {
       const auto owner = s.made_config_map("owner");
       const auto middle = s.made(s.core("configmaps"), child("middle", owner));
       s.made(s.core("configmaps"), child("last", middle));

       s.remove(s.core("configmaps", "owner"));

       s.eventually("the grandchild is collected", [&] { return is_gone(s, "last"); }, kPatience);
     }},
    {"owners: orphaning keeps the children without the reference",
     [](Session& s) {
       const auto owner = s.made_config_map("owner");
       s.made(s.core("configmaps"), child("child", owner));

       s.remove(s.core("configmaps", "owner"), R"({"propagationPolicy":"Orphan"})");

       s.eventually("the owner is gone", [&] { return is_gone(s, "owner"); }, kPatience);
       s.expect_status(s.get(s.core("configmaps", "child")), 200);
       s.expect_absent(s.get(s.core("configmaps", "child")).body, "metadata.ownerReferences[0]");
     }},
    {"owners: foreground deletion waits for a blocking child",
     [](Session& s) {
       const auto owner = s.made_config_map("owner");
       auto blocked = child("child", owner, R"(,"blockOwnerDeletion":true)");
       blocked.as_object()["metadata"].as_object()["finalizers"] = json::array{"example.com/hold"};
       s.made(s.core("configmaps"), blocked);

       const Reply reply = s.remove(s.core("configmaps", "owner"), R"({"propagationPolicy":"Foreground"})");

       s.expect_equal(reply.body, "metadata.finalizers", parse(R"(["foregroundDeletion"])"));
       s.eventually(
           "the child is being deleted",
           [&] {
             return !at(s.get(s.core("configmaps", "child")).body, "metadata.deletionTimestamp").is_null();
           },
           kPatience);
       s.expect(!is_gone(s, "owner"), "the owner waits");
       s.merge(s.core("configmaps", "child"), R"({"metadata":{"finalizers":null}})");
       s.eventually("the owner follows", [&] { return is_gone(s, "owner"); }, kPatience);
     }},
    {"owners: foreground deletion does not wait for a child that does not block",
     [](Session& s) {
       const auto owner = s.made_config_map("owner");
       auto held = child("child", owner);
       held.as_object()["metadata"].as_object()["finalizers"] = json::array{"example.com/hold"};
       s.made(s.core("configmaps"), held);

       s.remove(s.core("configmaps", "owner"), R"({"propagationPolicy":"Foreground"})");

       s.eventually("the owner goes", [&] { return is_gone(s, "owner"); }, kPatience);
       s.merge(s.core("configmaps", "child"), R"({"metadata":{"finalizers":null}})");
     }},
    {"owners: a child with a living second owner loses only the dead one",
     [](Session& s) {
       const auto one = s.made_config_map("one");
       const auto two = s.made_config_map("two");
       auto both = child("child", one);
       both.as_object()["metadata"].as_object()["ownerReferences"].as_array().push_back(
           at(child("x", two), "metadata.ownerReferences[0]"));
       s.made(s.core("configmaps"), both);

       s.remove(s.core("configmaps", "one"));

       s.eventually(
           "the dead reference is dropped",
           [&] {
             return at(s.get(s.core("configmaps", "child")).body, "metadata.ownerReferences[1]").is_null();
           },
           kPatience);
       s.expect_equal(s.get(s.core("configmaps", "child")).body, "metadata.ownerReferences[0].name", "two");
     }},
    {"owners: a child whose owner never was is collected",
     [](Session& s) {
       const json::value ghost =
           parse(R"({"metadata":{"name":"ghost","uid":"00000000-0000-0000-0000-000000000001"}})");
       s.made(s.core("configmaps"), child("child", ghost));

       s.eventually("the dangling child is collected", [&] { return is_gone(s, "child"); }, kPatience);
     }},
    {"owners: an owner of the same name with another uid is no owner",
     [](Session& s) {
       s.made_config_map("owner");
       const json::value former =
           parse(R"({"metadata":{"name":"owner","uid":"00000000-0000-0000-0000-000000000002"}})");
       s.made(s.core("configmaps"), child("child", former));

       s.eventually(
           "the child of the former owner is collected", [&] { return is_gone(s, "child"); }, kPatience);
       s.expect(!is_gone(s, "owner"), "the namesake stays");
     }},
    {"owners: children of a custom resource are collected",
     [](Session& s) {
       const auto owner = s.made_widget("w");
       auto owned = child("child", owner);
       auto& reference =
           owned.as_object()["metadata"].as_object()["ownerReferences"].as_array()[0].as_object();
       reference["apiVersion"] = "conformance.capstan.dev/v1";
       reference["kind"] = "Widget";
       s.made(s.core("configmaps"), owned);

       s.remove(s.widgets("w"));

       s.eventually("the child is collected", [&] { return is_gone(s, "child"); }, kPatience);
     }},
    {"owners: one controller beside another owner is taken",
     [](Session& s) {
       const auto one = s.made_config_map("one");
       auto both = child("child", one, R"(,"controller":true)");
       auto second = at(child("child", s.made_config_map("two")), "metadata.ownerReferences[0]");
       both.as_object()["metadata"].as_object()["ownerReferences"].as_array().push_back(second);

       const auto made = s.made(s.core("configmaps"), both);

       s.expect_equal(made, "metadata.ownerReferences[0].controller", true);
       s.expect_equal(made, "metadata.ownerReferences[1].name", "two");
     }},
    {"owners: two controllers are refused",
     [](Session& s) {
       const auto one = s.made_config_map("one");
       auto both = child("child", one, R"(,"controller":true)");
       auto second = at(both, "metadata.ownerReferences[0]");
       second.as_object()["uid"] = "00000000-0000-0000-0000-000000000003";
       both.as_object()["metadata"].as_object()["ownerReferences"].as_array().push_back(second);

       s.expect_refused(s.post(s.core("configmaps"), both), 422, "Invalid",
                        "Only one reference can have Controller set to true");
     }},
    {"owners: a reference without uid is refused",
     [](Session& s) {
       const json::value nobody = parse(R"({"metadata":{"name":"x","uid":""}})");

       s.expect_refused(s.post(s.core("configmaps"), child("child", nobody)), 422, "Invalid",
                        "metadata.ownerReferences.uid: Invalid value: \"\": must not be empty");
     }},
};

}  // namespace

std::span<const Script> owner_scripts() { return kScripts; }

}  // namespace capstan::conformance
