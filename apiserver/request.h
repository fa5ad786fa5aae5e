// One request to the API server and its answer, with HTTP taken off: what the HTTP layer and MemoryClient
// both speak to Api (api.h). Plain values.
#pragma once

#include <boost/json.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/store/resource_type.h"
#include "kube/request_options.h"

namespace capstan::apiserver {

namespace json = boost::json;

enum class Verb { Get, List, Watch, Create, Update, Patch, Delete, DeleteCollection };
std::string_view to_string(Verb verb);  // as RBAC and webhooks spell them: "get", "deletecollection"

enum class FieldValidation { Ignore, Warn, Strict };

struct User {
  std::string name = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
};

// The query parameters, decoded. A parameter that does not parse is the HTTP layer's 400.
struct Query {
  std::string label_selector = {};
  std::string field_selector = {};
  std::int64_t limit = 0;
  std::string continue_token = {};
  std::string resource_version = {};
  std::string resource_version_match = {};
  std::optional<bool> send_initial_events = {};
  bool allow_watch_bookmarks = false;
  std::optional<std::int64_t> timeout_seconds = {};

  std::string field_manager = {};
  bool dry_run = false;
  std::optional<FieldValidation> field_validation = {};  // absent: Warn, as the server's default
  std::optional<bool> force = {};                        // apply patches only

  // Deletes; the body (DeleteOptions) has the same and wins.
  std::string propagation_policy = {};
  std::optional<std::int64_t> grace_period_seconds = {};
};

// A decoded request body (decode_body in body.h), with what a plain json::value can't remember.
struct Body {
  json::value value = nullptr;
  std::vector<std::string> duplicate_fields = {};  // `duplicate field "spec.replicas"`
};

struct Request {
  Verb verb = Verb::Get;
  std::string group = {};
  std::string version = {};
  std::string resource = {};  // plural
  std::string subresource = {};
  std::string namespace_ = {};
  std::string name = {};
  Query query = {};
  Body body = {};
  kube::PatchType patch_type = kube::PatchType::Merge;
  User user = {};
  std::string user_agent = {};  // names the field manager when the query does not
};

using ObjectPtr = std::shared_ptr<const json::object>;

// The answer. `object` is the whole body unless `list`; then it is the list without its items, which follow
// apart so that ten thousand documents are not copied. Errors are Status objects.
struct Response {
  int status = 200;
  ObjectPtr object = {};
  bool list = false;
  std::vector<ObjectPtr> items = {};
  bool bare_items = false;  // built-in kinds: items of a list do not repeat apiVersion and kind
  std::vector<std::string> warnings = {};  // Warning headers
  std::optional<std::int64_t> retry_after_seconds = {};
  // What the objects are, for Tables: null in errors and where there is no such type.
  TypePtr type = {};
  std::string version = {};

  bool ok() const { return status < 400; }
  std::string text() const;  // the body as JSON
};

}  // namespace capstan::apiserver
