#include <unistd.h>

#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

std::string unique_namespace() {
  static int count = 0;
  return "c" + std::to_string(getpid()) + "-" + std::to_string(++count);
}

Outcome run_one(const Server& server, const Script& script) {
  Session session(server, unique_namespace());
  try {
    const json::value ns =
        parse(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")" + session.ns() + "\"}}");
    session.expect_status(session.post("/api/v1/namespaces", ns), 201);
    script.run(session);
    return {.script = script.name, .passed = true};
  } catch (const Failed& failed) {
    return {.script = script.name, .why = failed.what()};
  } catch (const std::exception& broken) {
    return {.script = script.name, .broke = true, .why = std::string("script broke: ") + broken.what()};
  }
}

}  // namespace

std::vector<Script> all_scripts() {
  std::vector<Script> all;
  for (const auto topic :
       {create_scripts(), read_scripts(), list_scripts(), watch_scripts(), update_scripts(), patch_scripts(),
        apply_scripts(), status_scripts(), delete_scripts(), owner_scripts(), schema_scripts(),
        eviction_scripts(), access_scripts(), discovery_scripts(), table_scripts(), webhook_scripts(),
        kind_scripts(), kubectl_scripts()})
    all.insert(all.end(), topic.begin(), topic.end());
  return all;
}

std::vector<Outcome> run_scripts(const Server& server, std::span<const Script> scripts) {
  std::vector<Outcome> outcomes;
  for (const Script& script : scripts) outcomes.push_back(run_one(server, script));
  return outcomes;
}

}  // namespace capstan::conformance
