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

}  // namespace

void install_kinds(const Server& server, const std::string& crd_folder) {
  Session session(server, "default");
  for (const json::value& crd : widget_definitions()) apply_crd(session, crd);
  for (const auto& entry : std::filesystem::directory_iterator(crd_folder)) {
    if (entry.path().extension() != ".yaml") continue;
    std::stringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    const auto documents = api::parse_yaml_documents(text.str());
    if (!documents) throw Broken(entry.path().filename().string() + ": " + documents.error().describe());
    for (const json::value& crd : *documents) apply_crd(session, crd);
  }
}

}  // namespace capstan::conformance
