// Eviction and disruption budgets.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

constexpr auto kPatience = std::chrono::seconds(30);

void make_pod(Session& s, std::string_view name) {
  s.made(
      s.core("pods"),
      parse(
          R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + std::string(name) +
          R"(","labels":{"app":"x"}},"spec":{"terminationGracePeriodSeconds":0,"containers":[{"name":"c","image":"i"}]}})"));
  s.merge(s.core("pods", name) + "/status",
          R"({"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}]}})");
}

void make_budget(Session& s, std::string_view spec) {
  s.made(
      s.group("policy/v1", "poddisruptionbudgets"),
      parse(
          R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},"spec":{"selector":{"matchLabels":{"app":"x"}},)" +
          std::string(spec) + "}}"));
}

void wait_for_budget(Session& s, int healthy) {
  s.eventually(
      "the budget has been counted",
      [&] {
        const json::value budget = s.get(s.group("policy/v1", "poddisruptionbudgets", "b")).body;
        return at(budget, "status.observedGeneration") == 1 && at(budget, "status.currentHealthy") == healthy;
      },
      kPatience);
}

Reply evict(Session& s, std::string_view name, std::string_view options = "") {
  return s.post(s.core("pods", name) + "/eviction",
                parse(R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":")" +
                      std::string(name) + "\"}" + std::string(options) + "}"));
}

const Script kScripts[] = {
    {"eviction: without a budget the pod goes",
     [](Session& s) {
       make_pod(s, "p");

       const Reply reply = evict(s, "p");

       s.expect_status(reply, 201);
       s.expect_equal(reply.body, "status", "Success");
       s.expect_refused(s.get(s.core("pods", "p")), 404, "NotFound");
     }},
    {"eviction: of a missing pod is NotFound",
     [](Session& s) { s.expect_refused(evict(s, "none"), 404, "NotFound"); }},
    {"eviction: a dry run keeps the pod",
     [](Session& s) {
       make_pod(s, "p");

       s.expect_status(evict(s, "p", R"(,"deleteOptions":{"dryRun":["All"]})"), 201);
       s.expect_status(s.get(s.core("pods", "p")), 200);
     }},
    {"eviction: the right uid lets the pod go",
     [](Session& s) {
       make_pod(s, "p");
       const json::value pod = s.get(s.core("pods", "p")).body;

       s.expect_status(evict(s, "p",
                             R"(,"deleteOptions":{"preconditions":{"uid":")" +
                                 std::string(at(pod, "metadata.uid").as_string()) + "\"}}"),
                       201);
       s.expect_refused(s.get(s.core("pods", "p")), 404, "NotFound");
     }},
    {"eviction: a wrong uid is a Conflict",
     [](Session& s) {
       make_pod(s, "p");

       s.expect_refused(
           evict(s, "p",
                 R"(,"deleteOptions":{"preconditions":{"uid":"00000000-0000-0000-0000-000000000000"}})"),
           409, "Conflict");
     }},
    {"eviction: a budget that is used up answers 429 with its cause",
     [](Session& s) {
       make_pod(s, "p");
       make_budget(s, R"("minAvailable":1)");
       wait_for_budget(s, 1);

       const Reply reply = evict(s, "p");

       s.expect_refused(reply, 429, "TooManyRequests",
                        "Cannot evict pod as it would violate the pod's disruption budget.");
       s.expect_equal(reply.body, "details.causes[0].reason", "DisruptionBudget");
       s.expect_contains(at(reply.body, "details.causes[0].message").as_string(),
                         "The disruption budget b needs 1 healthy pods and has 1 currently");
       s.expect_status(s.get(s.core("pods", "p")), 200);
     }},
    {"eviction: a budget with room lets one go and then holds",
     [](Session& s) {
       make_pod(s, "p");
       make_pod(s, "q");
       make_budget(s, R"("minAvailable":1)");
       wait_for_budget(s, 2);

       s.expect_status(evict(s, "p"), 201);
       s.expect_status(evict(s, "q"), 429);
     }},
    {"eviction: two budgets over one pod are an error",
     [](Session& s) {
       make_pod(s, "p");
       make_budget(s, R"("minAvailable":0)");
       s.made(
           s.group("policy/v1", "poddisruptionbudgets"),
           parse(
               R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"c"},"spec":{"minAvailable":0,"selector":{"matchLabels":{"app":"x"}}}})"));

       s.expect_status(evict(s, "p"), 500);
     }},
    {"eviction: a finished pod needs no budget",
     [](Session& s) {
       make_pod(s, "p");
       s.merge(s.core("pods", "p") + "/status", R"({"status":{"phase":"Succeeded"}})");
       make_budget(s, R"("minAvailable":1)");

       s.expect_status(evict(s, "p"), 201);
     }},
    {"eviction: a budget's status counts its pods",
     [](Session& s) {
       make_pod(s, "p");
       make_pod(s, "q");
       make_budget(s, R"("minAvailable":1)");
       wait_for_budget(s, 2);

       const json::value budget = s.get(s.group("policy/v1", "poddisruptionbudgets", "b")).body;

       s.expect_equal(budget, "status.disruptionsAllowed", 1);
       s.expect_equal(budget, "status.desiredHealthy", 1);
       s.expect_equal(budget, "status.expectedPods", 2);
     }},
};

}  // namespace

std::span<const Script> eviction_scripts() { return kScripts; }

}  // namespace capstan::conformance
