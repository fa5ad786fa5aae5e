#include "agent/object_watch.h"

#include <boost/json.hpp>
#include <utility>

namespace capstan::agent {
namespace {

namespace json = boost::json;

// The object of an event that says how it is now.
std::optional<json::value> object_of(std::string_view line) {
  boost::system::error_code trouble;
  json::value event = json::parse(line, trouble);
  const json::value* type = trouble ? nullptr : event.find_pointer("/type", trouble);
  if (type == nullptr || (*type != "ADDED" && *type != "MODIFIED")) return {};
  json::value* object = event.find_pointer("/object", trouble);
  return object == nullptr ? std::nullopt : std::optional(std::move(*object));
}

}  // namespace

void ObjectWatch::listen(kube::Client& client, const kube::Resource& resource, const kube::ObjectKey& key,
                         const std::string& resource_version) {
  listens_ = true;
  stream_ = client.watch(resource,
                         {.namespace_ = key.namespace_,
                          .field_selector = "metadata.name=" + key.name,
                          .resource_version = resource_version,
                          .timeout_seconds = std::chrono::seconds(kLength).count(),
                          .bookmarks = false},
                         *this);
}

std::optional<json::value> ObjectWatch::take() {
  return newest_.with([](std::optional<json::value>& newest) { return std::exchange(newest, {}); });
}

void ObjectWatch::on_bytes(std::string_view bytes) {
  if (!framer_.feed(bytes, [this](std::string_view line) { on_line(line); })) listens_ = false;
}

void ObjectWatch::on_line(std::string_view line) {
  auto object = object_of(line);
  if (!object) {
    listens_ = false;
  } else {
    newest_.with([&](std::optional<json::value>& newest) { newest = std::move(*object); });
  }
  changed_.notify();
}

// It does not wake the agent: a server that ends every watch at once would be asked without end.
void ObjectWatch::on_end(Result<void>) { listens_ = false; }

}  // namespace capstan::agent
