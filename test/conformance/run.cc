#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "api/schema/yaml.h"
#include "test/conformance/script.h"
#include "test/conformance/widgets.h"

namespace capstan::conformance {
namespace {

void apply_crd(Session& session, const json::value& crd) {
  const std::string collection = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  const std::string name(at(crd, "metadata.name").as_string());
  const Reply made = session.post(collection, crd);
  if (made.status != 409) session.expect_status(made, 201);
  session.eventually(
      name + " is established",
      [&] {
        const json::value seen = session.get(collection + "/" + name).body;
        const json::value conditions = at(seen, "status.conditions");
        if (!conditions.is_array()) return false;
        return std::ranges::any_of(conditions.as_array(), [](const json::value& condition) {
          return at(condition, "type") == "Established" && at(condition, "status") == "True";
        });
      },
      std::chrono::seconds(20));
}

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
    return {.script = script.name, .passed = false, .why = failed.what()};
  } catch (const std::exception& broken) {
    return {.script = script.name, .passed = false, .why = std::string("script broke: ") + broken.what()};
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

void install_kinds(const Server& server, const std::string& crd_folder) {
  Session session(server, "default");
  for (const json::value& crd : widget_definitions()) apply_crd(session, crd);
  for (const auto& entry : std::filesystem::directory_iterator(crd_folder)) {
    if (entry.path().extension() != ".yaml") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto documents = api::parse_yaml_documents(text.str());
    if (!documents) throw Failed(entry.path().filename().string() + ": " + documents.error().describe());
    for (const json::value& crd : *documents) apply_crd(session, crd);
  }
}

std::vector<Outcome> run_scripts(const Server& server, std::span<const Script> scripts) {
  std::vector<Outcome> outcomes;
  for (const Script& script : scripts) outcomes.push_back(run_one(server, script));
  return outcomes;
}

}  // namespace capstan::conformance
