// Tables: what kubectl get prints.
#include "test/conformance/script.h"

namespace capstan::conformance {
namespace {

Reply table(Session& s, const std::string& path) {
  return s.send("GET", path, "", "",
                {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}});
}

const Script kScripts[] = {
    {"table: columns of a custom resource",
     [](Session& s) {
       s.made_widget("w", R"({"replicas":3,"mode":"Fast"})");

       const Reply reply = table(s, s.widgets());

       s.expect_equal(reply.body, "kind", "Table");
       s.expect_equal(reply.body, "apiVersion", "meta.k8s.io/v1");
       s.expect_equal(reply.body, "columnDefinitions[0].name", "Name");
       s.expect_equal(reply.body, "columnDefinitions[1].name", "Replicas");
       s.expect_equal(reply.body, "columnDefinitions[1].type", "integer");
       s.expect_equal(reply.body, "columnDefinitions[4].priority", 1);
     }},
    {"table: cells hold the values",
     [](Session& s) {
       s.made_widget("w", R"({"replicas":3,"mode":"Fast"})");

       const Reply reply = table(s, s.widgets());

       s.expect_equal(reply.body, "rows[0].cells[0]", "w");
       s.expect_equal(reply.body, "rows[0].cells[1]", 3);
       s.expect_equal(reply.body, "rows[0].cells[2]", "Fast");
     }},
    {"table: a missing value is null",
     [](Session& s) {
       s.made_widget("w");

       s.expect_absent(table(s, s.widgets()).body, "rows[0].cells[2]");
     }},
    {"table: a filtered path finds its condition",
     [](Session& s) {
       s.made_widget("w");
       s.merge(
           s.widgets("w") + "/status",
           R"({"status":{"conditions":[{"type":"Other","status":"Unknown"},{"type":"Ready","status":"True"}]}})");

       s.expect_equal(table(s, s.widgets()).body, "rows[0].cells[3]", "True");
     }},
    {"table: rows carry their metadata",
     [](Session& s) {
       s.made_widget("w");

       const Reply reply = table(s, s.widgets());

       s.expect_equal(reply.body, "rows[0].object.kind", "PartialObjectMetadata");
       s.expect_equal(reply.body, "rows[0].object.metadata.name", "w");
     }},
    {"table: one object is a table of one row",
     [](Session& s) {
       s.made_widget("w");

       s.expect_equal(table(s, s.widgets("w")).body, "rows[0].cells[0]", "w");
     }},
    {"table: an empty list has columns and no rows",
     [](Session& s) {
       const Reply reply = table(s, s.widgets());

       s.expect_equal(reply.body, "columnDefinitions[0].name", "Name");
       s.expect(at(reply.body, "rows").is_null() || at(reply.body, "rows").as_array().empty(), "no rows");
     }},
    {"table: config maps count their data",
     [](Session& s) {
       s.made_config_map("a");

       const Reply reply = table(s, s.core("configmaps", "a"));

       s.expect_equal(reply.body, "columnDefinitions[1].name", "Data");
       s.expect_equal(reply.body, "rows[0].cells[1]", 1);
     }},
    {"table: a watch sends rows",
     [](Session& s) {
       s.made_widget("w");

       const Reply reply =
           s.send("GET", s.widgets() + "?watch=true&timeoutSeconds=1", "", "",
                  {{"Accept", "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"}});

       s.expect_contains(reply.text, R"("kind":"Table")");
       s.expect_contains(reply.text, R"("type":"ADDED")");
     }},
};

}  // namespace

std::span<const Script> table_scripts() { return kScripts; }

}  // namespace capstan::conformance
