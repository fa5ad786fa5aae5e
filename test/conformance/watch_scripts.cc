// Watches: what is sent, in which order, from where, and how they end.
#include "base/clock.h"
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

std::string version_of(const json::value& object) {
  return std::string(at(object, "metadata.resourceVersion").as_string());
}

void expect_event(Session& s, const std::vector<json::value>& events, std::size_t index,
                  std::string_view type, std::string_view name) {
  s.expect(events.size() > index,
           "there are more than " + std::to_string(index) + " events, got " + std::to_string(events.size()));
  s.expect_equal(events[index], "type", type);
  s.expect_equal(events[index], "object.metadata.name", name);
}

const Script kScripts[] = {
    {"watch: from a version come exactly the changes after it, in order",
     [](Session& s) {
       const auto first = s.made_widget("a");
       const auto second = s.made_widget("b");
       s.merge(s.widgets("a"), R"({"spec":{"replicas":2}})");
       s.remove(s.widgets("b"));

       const auto events = s.watch(s.widgets() + "?resourceVersion=" + version_of(first), 3);

       expect_event(s, events, 0, "ADDED", "b");
       expect_event(s, events, 1, "MODIFIED", "a");
       expect_event(s, events, 2, "DELETED", "b");
       s.expect(version_of(at(events[0], "object")) == version_of(second),
                "the event carries the version of its write");
     }},
    {"watch: without a version the existing objects come first",
     [](Session& s) {
       s.made_widget("a");
       s.made_widget("b");

       const auto events = s.watch(s.widgets(), 2);

       expect_event(s, events, 0, "ADDED", "a");
       expect_event(s, events, 1, "ADDED", "b");
     }},
    {"watch: version 0 starts with the existing objects",
     [](Session& s) {
       s.made_widget("a");

       expect_event(s, s.watch(s.widgets() + "?resourceVersion=0", 1), 0, "ADDED", "a");
     }},
    {"watch: a change made while it is open arrives",
     [](Session& s) {
       const auto first = s.made_widget("a");
       Session other(s.server(), s.ns());

       const auto events = s.watch_while(s.widgets() + "?resourceVersion=" + version_of(first), 1,
                                         [&] { other.merge(s.widgets("a"), R"({"spec":{"replicas":5}})"); });

       expect_event(s, events, 0, "MODIFIED", "a");
       s.expect_equal(events[0], "object.spec.replicas", 5);
     }},
    {"watch: the deleted object carries the version of its deletion",
     [](Session& s) {
       const auto first = s.made_widget("a");
       s.remove(s.widgets("a"));

       const auto events = s.watch(s.widgets() + "?resourceVersion=" + version_of(first), 1);

       expect_event(s, events, 0, "DELETED", "a");
       s.expect(std::stoull(version_of(at(events[0], "object"))) > std::stoull(version_of(first)),
                "the deletion has a version of its own");
     }},
    {"watch: a write that changes nothing sends nothing",
     [](Session& s) {
       const auto first = s.made_widget("a");
       s.merge(s.widgets("a"), R"({"spec":{"replicas":1}})");
       s.merge(s.widgets("a"), R"({"spec":{"replicas":2}})");

       const auto events = s.watch(s.widgets() + "?resourceVersion=" + version_of(first), 1);

       s.expect_equal(events.at(0), "object.spec.replicas", 2);
     }},
    {"watch: setting a deletion timestamp is a modification",
     [](Session& s) {
       s.made(
           s.core("configmaps"),
           parse(
               R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","finalizers":["example.com/hold"]}})"));
       const auto seen = s.get(s.core("configmaps", "a")).body;
       s.remove(s.core("configmaps", "a"));
       s.merge(s.core("configmaps", "a"), R"({"metadata":{"finalizers":null}})");

       const auto events = s.watch(s.core("configmaps") + "?resourceVersion=" + version_of(seen), 2);

       expect_event(s, events, 0, "MODIFIED", "a");
       s.expect_present(events[0], "object.metadata.deletionTimestamp");
       expect_event(s, events, 1, "DELETED", "a");
     }},
    {"watch: an object that begins to match a selector is added",
     [](Session& s) {
       const auto first = s.made_config_map("a");
       s.merge(s.core("configmaps", "a"), R"({"metadata":{"labels":{"pick":"me"}}})");

       expect_event(
           s,
           s.watch(s.core("configmaps") + "?labelSelector=pick%3Dme&resourceVersion=" + version_of(first), 1),
           0, "ADDED", "a");
     }},
    {"watch: an object that stops matching a selector is deleted",
     [](Session& s) {
       const auto first = s.made_config_map("a", R"("labels":{"pick":"me"})");
       s.merge(s.core("configmaps", "a"), R"({"metadata":{"labels":null}})");

       expect_event(
           s,
           s.watch(s.core("configmaps") + "?labelSelector=pick%3Dme&resourceVersion=" + version_of(first), 1),
           0, "DELETED", "a");
     }},
    {"watch: objects outside the selector are silent",
     [](Session& s) {
       const auto first = s.made_config_map("other");
       s.made_config_map("b", R"("labels":{"pick":"me"})");
       s.merge(s.core("configmaps", "other"), R"({"data":{"k":"w"}})");
       s.made_config_map("c", R"("labels":{"pick":"me"})");

       const auto events =
           s.watch(s.core("configmaps") + "?labelSelector=pick%3Dme&resourceVersion=" + version_of(first), 2);

       expect_event(s, events, 0, "ADDED", "b");
       expect_event(s, events, 1, "ADDED", "c");
     }},
    {"watch: one name by field selector",
     [](Session& s) {
       const auto first = s.made_config_map("other");
       s.made_config_map("a");
       s.made_config_map("b");

       expect_event(s,
                    s.watch(s.core("configmaps") +
                                "?fieldSelector=metadata.name%3Db&resourceVersion=" + version_of(first),
                            1),
                    0, "ADDED", "b");
     }},
    {"watch: another namespace is silent",
     [](Session& s) {
       const auto first = s.made_config_map("a");
       const auto other =
           s.made("/api/v1/namespaces/default/configmaps",
                  parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"generateName":"x-"}})"));
       s.remove("/api/v1/namespaces/default/configmaps/" +
                std::string(at(other, "metadata.name").as_string()));
       s.made_config_map("b");

       expect_event(s, s.watch(s.core("configmaps") + "?resourceVersion=" + version_of(first), 1), 0, "ADDED",
                    "b");
     }},
    {"watch: initial events end with an annotated bookmark",
     [](Session& s) {
       s.made_widget("a");

       const auto events = s.watch(
           s.widgets() + "?sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
           2);

       expect_event(s, events, 0, "ADDED", "a");
       s.expect(events.size() == 2, "a bookmark follows");
       s.expect_equal(events[1], "type", "BOOKMARK");
       s.expect_equal(events[1], R"(object.metadata.annotations."k8s.io/initial-events-end")", "true");
       s.expect_equal(events[1], "object.kind", "Widget");
       s.expect_present(events[1], "object.metadata.resourceVersion");
     }},
    {"watch: initial events without resourceVersionMatch are refused",
     [](Session& s) {
       s.expect_refused(s.get(s.widgets() +
                              "?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&timeoutSeconds=1"),
                        422, "Invalid");
     }},
    {"watch: a version from before the kind was known is Expired",
     [](Session& s) {
       // Answered as an HTTP 410 or, once the stream has begun, as an ERROR event with the same Status.
       s.made_widget("a");

       const auto events = s.watch(s.widgets() + "?resourceVersion=1", 1, 2);

       s.expect(!events.empty(), "an answer comes");
       if (at(events[0], "httpStatus") == 410) return;
       s.expect_equal(events[0], "type", "ERROR");
       s.expect_equal(events[0], "object.code", 410);
       s.expect_equal(events[0], "object.reason", "Expired");
     }},
    {"watch: timeoutSeconds ends it cleanly",
     [](Session& s) {
       const auto begun = SystemClock().steady_now();
       const auto first = s.made_widget("a");

       const auto events = s.watch(s.widgets() + "?resourceVersion=" + version_of(first), 1, 1);

       const auto took = SystemClock().steady_now() - begun;
       s.expect(events.empty(), "no event came");
       s.expect(took < std::chrono::seconds(4), "it ended after about a second");
     }},
    {"watch: a bad version is refused",
     [](Session& s) {
       const Reply reply = s.get(s.widgets() + "?watch=true&resourceVersion=abc&timeoutSeconds=1");

       s.expect_status(reply, 500);
       s.expect_contains(reply.text, "resourceVersion: Invalid value: \\\"abc\\\"");
     }},
    {"watch: status writes are seen too",
     [](Session& s) {
       const auto first = s.made_widget("a");
       s.merge(s.widgets("a") + "/status", R"({"status":{"phase":"Up"}})");

       const auto events = s.watch(s.widgets() + "?resourceVersion=" + version_of(first), 1);

       expect_event(s, events, 0, "MODIFIED", "a");
       s.expect_equal(events[0], "object.status.phase", "Up");
     }},
    {"watch: events carry apiVersion and kind",
     [](Session& s) {
       s.made_config_map("a");

       const auto events = s.watch(s.core("configmaps") + "?fieldSelector=metadata.name%3Da", 1);

       s.expect_equal(events.at(0), "object.kind", "ConfigMap");
       s.expect_equal(events.at(0), "object.apiVersion", "v1");
     }},
    {"watch: versions only ever grow",
     [](Session& s) {
       const auto first = s.made_widget("a");
       for (int i = 2; i < 12; ++i)
         s.merge(s.widgets("a"), R"({"spec":{"replicas":)" + std::to_string(i) + "}}");

       const auto events = s.watch(s.widgets() + "?resourceVersion=" + version_of(first), 10);

       s.expect(events.size() == 10, "ten changes are ten events");
       for (std::size_t i = 1; i < events.size(); ++i)
         s.expect(std::stoull(version_of(at(events[i - 1], "object"))) <
                      std::stoull(version_of(at(events[i], "object"))),
                  "versions grow");
     }},
};

}  // namespace

std::span<const Script> watch_scripts() { return kScripts; }

}  // namespace capstan::conformance
