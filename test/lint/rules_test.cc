#include "test/lint/rules.h"

#include <gmock/gmock.h>

namespace capstan::lint {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

struct Entry {
  std::string path;
  std::string text;
};

Tree tree_of(std::initializer_list<Entry> entries) {
  Tree tree;
  for (const Entry& entry : entries) tree.files.push_back(SourceFile::of(entry.path, entry.text));
  std::ranges::sort(tree.files, {}, &SourceFile::path);
  return tree;
}

std::vector<std::string> described(const Findings& findings) {
  std::vector<std::string> lines;
  for (const Finding& finding : findings) lines.push_back(finding.describe());
  return lines;
}

// One file that includes one other, which exists.
std::vector<std::string> floors_of(const std::string& path, const std::string& included) {
  return described(
      check_floors(tree_of({{path, "// x\n\n#include \"" + included + "\"\n"}, {included, ""}})));
}

TEST(Floors, DownwardAndSidewaysWithinAFolderIsFine) {
  EXPECT_THAT(floors_of("runtime/store.h", "kube/client.h"), IsEmpty());
  EXPECT_THAT(floors_of("runtime/store.h", "runtime/index.h"), IsEmpty());
  EXPECT_THAT(floors_of("apiserver/http/http.cc", "net/http_server.h"), IsEmpty());
  EXPECT_THAT(floors_of("controllers/machine/decide.h", "controllers/shared/labels.h"), IsEmpty());
  EXPECT_THAT(floors_of("controllers/machine/decide.h", "controllers/machine/observe.h"), IsEmpty());
  EXPECT_THAT(floors_of("controllers/wiring.h", "controllers/machine/reconciler.h"), IsEmpty());
}

TEST(Floors, UpwardIsReportedWithFileLineAndRule) {
  EXPECT_THAT(floors_of("kube/client.h", "runtime/store.h"),
              ElementsAre("kube/client.h:3: floors: kube (floor 2) includes runtime/store.h (floor 3), "
                          "include only downwards"));
  EXPECT_THAT(floors_of("base/log.cc", "api/names.h"), ElementsAre(HasSubstr("base/log.cc:3: floors:")));
}

TEST(Floors, FoldersOfOneFloorMustNotKnowEachOther) {
  EXPECT_THAT(floors_of("net/tls.cc", "api/names.h"), ElementsAre(HasSubstr("net and api share floor 1")));
  EXPECT_THAT(floors_of("bootstrap/join_token.h", "infrastructure/driver.h"),
              ElementsAre(HasSubstr("share floor 5")));
}

TEST(Floors, ControllersMustNotKnowEachOther) {
  EXPECT_THAT(floors_of("controllers/machinepool/act.cc", "controllers/machine/observe.h"),
              ElementsAre(HasSubstr("controllers do not know each other")));
  EXPECT_THAT(floors_of("controllers/drain/drainer.cc", "controllers/machine/observe.h"),
              ElementsAre(HasSubstr("controllers do not know each other")));
  EXPECT_THAT(floors_of("controllers/machinepool/act_test.cc", "controllers/machine/observe.h"),
              ElementsAre(HasSubstr("controllers do not know each other")));
  EXPECT_THAT(floors_of("controllers/machinepool/act.cc", "controllers/fleetpolicy/plan.h"),
              ElementsAre(HasSubstr("controllers do not know each other")));
  EXPECT_THAT(floors_of("controllers/machinepool/act.cc", "controllers/unclaimed/reconciler.h"),
              ElementsAre(HasSubstr("controllers do not know each other")));
  EXPECT_THAT(floors_of("controllers/machinepool/act.cc", "controllers/drain/drainer.h"), IsEmpty());
  EXPECT_THAT(floors_of("controllers/machinepool/act.cc", "controllers/inplace/update_mark.h"), IsEmpty());
}

TEST(Floors, ControllersOfProvidersMustNotKnowEachOtherEither) {
  EXPECT_THAT(floors_of("bootstrap/access/turn.h", "bootstrap/controller/act.h"),
              ElementsAre(HasSubstr("controllers do not know each other")));
  EXPECT_THAT(floors_of("infrastructure/controller/pool/act.cc", "infrastructure/controller/machine/plan.h"),
              ElementsAre(HasSubstr("controllers do not know each other")));
  EXPECT_THAT(floors_of("bootstrap/provider.cc", "bootstrap/controller/reconciler.h"), IsEmpty());
  EXPECT_THAT(
      floors_of("infrastructure/controller/cluster/plan.h", "infrastructure/controller/orphans/classify.h"),
      IsEmpty());
}

TEST(Floors, AControllerOfAKindThatTheListLacksIsFound) {
  EXPECT_THAT(floors_of("controllers/novelty/reconciler.h", "controllers/shared/turn.h"),
              ElementsAre(HasSubstr("novelty has a controller: add it to kKinds")));
  EXPECT_THAT(floors_of("controllers/machine/reconciler.h", "controllers/shared/turn.h"), IsEmpty());
}

TEST(Floors, SomeDownwardWaysAreWalledUp) {
  EXPECT_THAT(floors_of("controllers/machine/act.cc", "net/http_client.h"),
              ElementsAre(HasSubstr("through kube/ only")));
  EXPECT_THAT(floors_of("controllers/machine/act.cc", "infrastructure/driver.h"),
              ElementsAre(HasSubstr("api/contract only")));
  EXPECT_THAT(floors_of("api/schema/decode.cc", "api/v1beta2/machine.h"),
              ElementsAre(HasSubstr("knows no kind")));
  EXPECT_THAT(floors_of("api/schema/decode.cc", "api/meta/object_meta.h"), IsEmpty());
  EXPECT_THAT(floors_of("cmd/manager/wiring.cc", "apiserver/core.h"),
              ElementsAre(HasSubstr("never carries")));
  EXPECT_THAT(floors_of("cmd/dev/main.cc", "apiserver/core.h"), IsEmpty());
  EXPECT_THAT(floors_of("api/schema/decode.cc", "api/schema/field.h"), IsEmpty());
}

TEST(Floors, TestsMayUseFakesAndTheirOwnFloor) {
  EXPECT_THAT(floors_of("runtime/queue_test.cc", "test/fakes/fake_clock.h"), IsEmpty());
  EXPECT_THAT(floors_of("webhooks/server_test.cc", "apiserver/core.h"), IsEmpty());
  EXPECT_THAT(floors_of("test/fakes/memory_client.h", "apiserver/core.h"), IsEmpty());
  EXPECT_THAT(floors_of("runtime/informer_test.cc", "apiserver/api.h"), IsEmpty());
}

TEST(Floors, TestsMayNotReachUpEitherNorCodeIntoTests) {
  EXPECT_THAT(floors_of("kube/patch_test.cc", "runtime/store.h"),
              ElementsAre(HasSubstr("include only downwards")));
  EXPECT_THAT(floors_of("cmd/dev/main.cc", "test/fakes/fake_clock.h"),
              ElementsAre(HasSubstr("is for tests")));
}

TEST(Floors, IncludesStartAtTheRootOfTheRepository) {
  const Tree tree = tree_of({{"base/log.cc", "#include \"log.h\"\n"}, {"base/log.h", ""}});

  EXPECT_THAT(described(check_floors(tree)), ElementsAre(HasSubstr("\"log.h\" is not in this repository")));
}

TEST(Floors, ANewFolderNeedsAFloor) {
  EXPECT_THAT(floors_of("misc/x.h", "base/log.h"), ElementsAre(HasSubstr("misc has no floor")));
}

TEST(Homes, LibrariesAreAtHome) {
  EXPECT_THAT(
      check_homes(tree_of({{"net/tls.cc", "#include <openssl/ssl.h>\n#include <boost/asio/ip/tcp.hpp>\n"},
                           {"api/schema/yaml.cc", "#include <yaml-cpp/parser.h>\n"},
                           {"base/metrics.cc", "#include <prometheus/counter.h>\n"},
                           {"infrastructure/remote/driver.cc", "#include <httplib.h>\n"},
                           {"net/http_server_test.cc", "#include <httplib.h>\n"}})),
      IsEmpty());
}

TEST(Homes, LibrariesAreReportedElsewhere) {
  const Tree tree = tree_of({{"kube/remote_client.cc", "#include <boost/beast/http.hpp>\n"},
                             {"base/metrics.h", "\n#include <prometheus/counter.h>\n"},
                             {"net/http_server.cc", "#include <httplib.h>\n"},
                             {"runtime/x.cc", "#include <yaml-cpp/yaml.h>\n"}});

  EXPECT_THAT(described(check_homes(tree)),
              UnorderedElementsAre(
                  "kube/remote_client.cc:1: homes: boost/beast/http.hpp brings in Beast, which lives in net/",
                  "base/metrics.h:2: homes: prometheus/counter.h brings in prometheus-cpp, which lives in "
                  "base/metrics.cc",
                  "net/http_server.cc:1: homes: httplib.h brings in cpp-httplib, which lives in "
                  "infrastructure/remote/",
                  "runtime/x.cc:1: homes: yaml-cpp/yaml.h brings in yaml-cpp, which lives in api/schema/"));
}

TEST(Homes, AHeaderThatLeaksItsLibraryIsReportedWhereItLeavesHome) {
  const Tree tree = tree_of({{"net/transport.h", "#include <boost/asio/ip/tcp.hpp>\n"},
                             {"net/leaky.h", "#include \"net/transport.h\"\n"},
                             {"net/clean.h", "class Transport;\n"},
                             {"kube/remote_client.h", "#include \"net/clean.h\"\n#include \"net/leaky.h\"\n"},
                             {"runtime/x.cc", "#include \"kube/remote_client.h\"\n"}});

  EXPECT_THAT(described(check_homes(tree)),
              ElementsAre("kube/remote_client.h:2: homes: net/leaky.h brings in Asio, which lives in net/"));
}

TEST(LightHeaders, ForwardDeclarationsInHeadersTheRestInSources) {
  EXPECT_THAT(
      check_light_headers(tree_of({{"kube/client.h", "#include <boost/json/fwd.hpp>\n"},
                                   {"kube/patch.cc", "#include <boost/json.hpp>\n#include <fmt/format.h>\n"},
                                   {"runtime/x.cc", "#include \"kube/client.h\"\n"}})),
      IsEmpty());
}

TEST(LightHeaders, JsonAndFmtInHeadersOfOthersAreReported) {
  const Tree tree =
      tree_of({{"kube/a.h", "#include <boost/json.hpp>\n"},
               {"kube/b.h", "#include <boost/json/value.hpp>\n"},
               {"kube/c.h", "#include <fmt/core.h>\n"},
               {"kube/d.h", "#include \"kube/b.h\"\n"},
               {"runtime/x.cc", "#include \"kube/a.h\"\n#include \"kube/c.h\"\n#include \"kube/d.h\"\n"}});

  EXPECT_THAT(described(check_light_headers(tree)),
              ElementsAre("kube/a.h:1: light-headers: headers use <boost/json/fwd.hpp>, sources "
                          "<boost/json.hpp> (runtime/x.cc has to read it)",
                          HasSubstr("kube/b.h:1: "), HasSubstr("kube/c.h:1: light-headers: fmt")));
}

TEST(LightHeaders, AHeaderThatTeachesFmtATypeMayIncludeIt) {
  EXPECT_THAT(check_light_headers(tree_of({{"base/text_fmt.h", "#include <fmt/format.h>\n"},
                                           {"kube/a.cc", "#include \"base/text_fmt.h\"\n"}})),
              IsEmpty());
}

TEST(LightHeaders, AHeaderForTheSourcesOfItsOwnFolderMayBeHeavy) {
  EXPECT_THAT(check_light_headers(tree_of({{"kube/private.h", "#include <boost/json.hpp>\n"},
                                           {"kube/a.cc", "#include \"kube/private.h\"\n"},
                                           {"runtime/a_test.cc", "#include \"kube/private.h\"\n"},
                                           {"cmd/dev/main.cc", "#include \"kube/private.h\"\n"}})),
              IsEmpty());
}

std::vector<std::string> words_of(const std::string& path, const std::string& text) {
  return described(check_banned_words(tree_of({{path, text}})));
}

TEST(BannedWords, EveryWordIsFoundInCode) {
  for (const std::string word : {"co_await x;",
                                 "co_return;",
                                 "co_yield 1;",
                                 "asio::co_spawn(a);",
                                 "boost::asio::spawn(a);",
                                 "std::this_thread::sleep_for(s);",
                                 "std::this_thread::sleep_until(s);",
                                 "usleep(1);",
                                 "nanosleep(a, b);",
                                 "::sleep(1);",
                                 "auto t = std::chrono::system_clock::now();",
                                 "auto t = std::chrono::steady_clock::now();",
                                 "using C = std::chrono::high_resolution_clock;",
                                 "std::mutex m;",
                                 "std::shared_mutex m;",
                                 "std::recursive_mutex m;",
                                 "std::condition_variable c;",
                                 "std::condition_variable_any c;",
                                 "volatile int x;",
                                 "std::thread t;",
                                 "std::jthread t;",
                                 "auto f = std::async(g);",
                                 "thread.detach();",
                                 "std::random_device d;",
                                 "std::mt19937 g;",
                                 "std::mt19937_64 g;",
                                 "try { f(); } catch (...) {}",
                                 "deps_.events.record(about, type, reason, text);",
                                 "void tell(int x);",
                                 "leave(seen, plan);",
                                 "#define MAX 3"}) {
    EXPECT_THAT(words_of("runtime/queue.cc", "\n" + word + "\n"),
                ElementsAre(HasSubstr("runtime/queue.cc:2: ")))
        << word;
  }
}

TEST(BannedWords, AreFineInCommentsStringsAndLongerWords) {
  EXPECT_THAT(words_of("runtime/queue.cc", R"code(
// never co_await, never sleep_for
/* std::mutex
   std::thread */
const char* text = "co_await \" std::mutex";
const char* raw = R"x(co_await " std::mutex)x";
const char quote = '"'; int co_awaited = 1'000; asleep(1);
std::thread::id owner; world.sleep(5s);
)code"),
              IsEmpty());
}

TEST(BannedWords, CodeBehindALiteralIsStillCode) {
  EXPECT_THAT(words_of("runtime/queue.cc", "f(\"a\\\"\", '\\'', 1'000, R\"(\")\"); std::mutex m;  // \"\n"),
              ElementsAre(HasSubstr("guarded")));
}

TEST(BannedWords, EachHasOnePlaceThatMay) {
  EXPECT_THAT(words_of("base/clock.cc", "std::chrono::steady_clock::now();"), IsEmpty());
  EXPECT_THAT(words_of("base/guarded.h", "mutable std::mutex mutex_;"), IsEmpty());
  EXPECT_THAT(words_of("base/threads.cc", "std::jthread thread_; std::condition_variable_any changed_;"),
              IsEmpty());
  EXPECT_THAT(words_of("base/randomness.cc", "std::random_device device;"), IsEmpty());
  EXPECT_THAT(words_of("runtime/controller.cc", "catch (...) {}"), IsEmpty());
  EXPECT_THAT(words_of("base/try.h", "#define TRY(x)"), IsEmpty());
}

TEST(BannedWords, TestsMayStartThreadsButNeverSleep) {
  EXPECT_THAT(words_of("runtime/queue_test.cc", "std::jthread worker(f); std::mt19937 seeded(1);"),
              IsEmpty());
  EXPECT_THAT(words_of("runtime/queue_test.cc", "std::this_thread::sleep_for(ms);"),
              ElementsAre(HasSubstr("no-sleep")));
  EXPECT_THAT(words_of("test/fakes/x.cc", "std::chrono::steady_clock::now();"),
              ElementsAre(HasSubstr("one-clock")));
}

std::vector<std::string> removals_of(const std::string& path, const std::string& text) {
  return described(check_removals(tree_of({{path, text}})));
}

TEST(Removals, OfControllersPassThroughClaims) {
  for (const std::string deletion :
       {"client().remove(a, b);", "deps_.client.remove(a, b);", "host_.consistency.remove(a);",
        "client->remove(a);", "client().evict(pod);", "kube::remove<api::Node>(a);"}) {
    EXPECT_THAT(removals_of("controllers/machine/act.cc", "\n" + deletion + "\n"),
                ElementsAre(HasSubstr("controllers/machine/act.cc:2: removals: ")))
        << deletion;
  }
}

TEST(Removals, AreFreeInTheirHomeInTestsAndOutsideOfControllers) {
  EXPECT_THAT(removals_of("controllers/claims/removal.cc", "target.client.remove(a);"), IsEmpty());
  EXPECT_THAT(removals_of("controllers/machine/turns_test.cc", "world.remove(a); client.evict(b);"),
              IsEmpty());
  EXPECT_THAT(removals_of("runtime/consistency.cc", "client.remove(a);"), IsEmpty());
  EXPECT_THAT(removals_of("controllers/machine/act.cc", "claims::remove(by, child, clearance);"), IsEmpty());
}

TEST(Purity, PureFilesMayIncludeValues) {
  EXPECT_THAT(check_purity(tree_of(
                  {{"controllers/machine/decide.cc",
                    "#include \"base/time.h\"\n#include \"base/instant.h\"\n#include "
                    "\"api/names.h\"\n#include <map>\n"},
                   {"controllers/machine/act.cc", "#include \"base/clock.h\"\n#include \"kube/client.h\"\n"},
                   {"kube/watch_protocol_test.cc", "#include \"base/clock.h\"\n"}})),
              IsEmpty());
}

TEST(Purity, PureFilesMayNotIncludeTheWorld) {
  const Tree tree = tree_of({{"controllers/machine/decide.h", "#include \"base/clock.h\"\n"},
                             {"controllers/machine/report.cc", "#include \"base/log.h\"\n"},
                             {"kube/watch_protocol.h", "#include \"kube/remote_client.h\"\n"},
                             {"api/conditions/summary.cc", "#include <random>\n"},
                             {"api/v1beta2/machine_rules.cc", "#include \"base/names.h\"\n"}});

  EXPECT_THAT(described(check_purity(tree)),
              ElementsAre(HasSubstr("api/conditions/summary.cc:1: purity: a pure file includes random"),
                          HasSubstr("machine_rules.cc:1"), HasSubstr("decide.h:1"), HasSubstr("report.cc:1"),
                          HasSubstr("watch_protocol.h:1")));
}

TEST(HeaderForm, CommentThenPragma) {
  EXPECT_THAT(check_header_form(
                  tree_of({{"base/x.h", "// What it is.\n// More.\n#pragma once\n\nnamespace a {}\n"}})),
              IsEmpty());
}

TEST(HeaderForm, MissingPartsAreReported) {
  EXPECT_THAT(described(check_header_form(tree_of({{"base/x.h", "#pragma once\n"}}))),
              ElementsAre(AllOf(HasSubstr("base/x.h:1: header-form:"), HasSubstr("begins with a comment"))));
  EXPECT_THAT(described(check_header_form(tree_of({{"base/x.h", "// What.\n#ifndef X\n#endif\n"}}))),
              ElementsAre(HasSubstr("#pragma once")));
  EXPECT_THAT(
      described(check_header_form(tree_of({{"base/x.h", "// What.\n#pragma once\nusing namespace std;\n"}}))),
      ElementsAre("base/x.h:3: header-form: using namespace in a header decides for its users"));
}

TEST(OwnHeaderFirst, ProvesThatTheHeaderCompilesAlone) {
  EXPECT_THAT(
      check_own_header_first(tree_of({{"base/x.h", ""},
                                      {"base/x.cc", "// why\n#include \"base/x.h\"\n\n#include <map>\n"},
                                      {"base/x_test.cc", "#include \"base/x.h\"\n"},
                                      {"base/main.cc", "#include <map>\n"}})),
      IsEmpty());
}

TEST(OwnHeaderFirst, AnythingBeforeItIsReported) {
  const Tree tree = tree_of({{"base/x.h", ""},
                             {"base/x.cc", "#include <map>\n#include \"base/x.h\"\n"},
                             {"base/only_header.h", ""},
                             {"base/only_header_test.cc", "\n#include <gtest/gtest.h>\n"}});

  EXPECT_THAT(
      described(check_own_header_first(tree)),
      ElementsAre("base/only_header_test.cc:2: own-header-first: the first include is \"base/only_header.h\"",
                  "base/x.cc:1: own-header-first: the first include is \"base/x.h\""));
}

TEST(Loops, OverWhatACallPointedAtAreReported) {
  const Tree tree = tree_of({{"base/x.cc", "\nfor (const auto& one : *all(of, (them))) use(one);\n"},
                             {"base/y_test.cc", "for (const Vm& vm : *stage.cloud.list({}, never)) {\n"}});

  EXPECT_THAT(described(check_loops(tree)), ElementsAre(HasSubstr("base/x.cc:2: dangling-loop"),
                                                        HasSubstr("base/y_test.cc:1: dangling-loop")));
}

TEST(Loops, OverNamesAndValuesAreFine) {
  EXPECT_THAT(check_loops(tree_of({{"base/x.cc",
                                    "for (const auto& one : *all) use(one);\n"
                                    "for (const auto& one : all()) use(*one);\n"
                                    "for (int i = 0; i < *limit(); ++i) use(i);\n"
                                    "// for (const auto& one : *all()) use(one);\n"}})),
              IsEmpty());
}

TEST(MachinePaths, AreReportedInAnyKindOfFile) {
  const std::string home = std::string("/ro") + "ot/";

  EXPECT_THAT(described(check_machine_paths(tree_of({{"scripts/test", "cd x\ncd " + home + "capstan\n"}}))),
              ElementsAre(HasSubstr("scripts/test:2: machine-paths")));
  EXPECT_THAT(check_machine_paths(tree_of({{"scripts/test", "cd \"$root\"\n"}})), IsEmpty());
}

TEST(Docs, NameWhatExists) {
  EXPECT_THAT(check_docs(tree_of({{"base/log.h", ""},
                                  {"scripts/test", ""},
                                  {"docs/sub/x.md", ""},
                                  {"docs/life.md",
                                   "`base/log.h`, `base/`, `scripts/test -R x`, [log](../base/log.h#top), "
                                   "[web](https://example.com), `a/b`, `build/dev/bin/x.h`, `*.h`\n"}})),
              IsEmpty());
}

TEST(Docs, WhatIsGoneIsReported) {
  const Tree tree =
      tree_of({{"docs/life.md", "\n`base/gone.h` and `gone/`\n`scripts/gone --x`, [it](gone.md)\n"}});

  EXPECT_THAT(described(check_docs(tree)),
              UnorderedElementsAre("docs/life.md:2: docs: base/gone.h does not exist",
                                   "docs/life.md:2: docs: gone/ does not exist",
                                   "docs/life.md:3: docs: scripts/gone does not exist",
                                   "docs/life.md:3: docs: docs/gone.md does not exist"));
}

TEST(Docs, NameOnlyTestsThatExist) {
  const Entry tests{"base/log_test.cc", "TEST(Log, Tells) {}\nTEST_F(Log,\n       Waits) {}\n"};
  const Entry page{"docs/log.md", "`Log.Tells`, `Log.Waits` and\n`Log.Lies`\n"};

  EXPECT_THAT(described(check_docs(tree_of({tests, page}))),
              UnorderedElementsAre("docs/log.md:2: docs: Log.Lies does not exist"));
}

TEST(CheckAll, AnExceptionNobodyNeedsIsAFinding) {
  EXPECT_THAT(described(check_all(tree_of({}))),
              testing::Contains(HasSubstr("net/io_pool_impl.h no longer needs its exception from threads")));
}

TEST(CheckAll, AnExceptionIsForOneRuleOnly) {
  const auto findings =
      described(check_all(tree_of({{"net/io_pool_impl.h", "std::jthread a; std::mutex b;\n"}})));

  EXPECT_THAT(findings, testing::Contains(HasSubstr("net/io_pool_impl.h:1: guarded")));
  EXPECT_THAT(findings, testing::Not(testing::Contains(HasSubstr(": threads: "))));
}

}  // namespace
}  // namespace capstan::lint
