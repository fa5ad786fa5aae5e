#include "test/interop/autoscaler_informer.h"

#include <utility>

#include "base/try.h"

namespace capstan::envtest {

namespace json = boost::json;

namespace {

constexpr std::int64_t kPage = 500;  // of client-go's informers
constexpr std::int64_t kWatched = 300;

std::string word_at(const json::value& from, std::string_view pointer) {
  boost::system::error_code missing;
  const auto* found = from.find_pointer(pointer, missing);
  return found != nullptr && found->is_string() ? std::string(found->as_string()) : std::string();
}

std::string name_of(const json::value& object) {
  return word_at(object, "/metadata/namespace") + "/" + word_at(object, "/metadata/name");
}

}  // namespace

Result<json::array> AutoscalerInformer::items(const Deadline& deadline) {
  if (!held_.with([](const Held& held) { return held.is_watched; })) TRY(begin(deadline));
  return held_.with([](const Held& held) {
    json::array all;
    for (const auto& [name, object] : held.objects) all.push_back(object);
    return all;
  });
}

Result<void> AutoscalerInformer::begin(const Deadline& deadline) {
  stream_.reset();
  framer_ = net::LineFramer();
  Held listed{.is_watched = true};
  kube::ListOptions options{.namespace_ = namespace_, .limit = kPage, .resource_version = "0"};
  std::string version;
  do {
    auto page = TRY(client_.list(resource_, options, deadline));
    for (json::value& item : page.at("items").as_array())
      listed.objects.insert_or_assign(name_of(item), std::move(item));
    version = word_at(page, "/metadata/resourceVersion");
    options.continue_token = word_at(page, "/metadata/continue");
    options.resource_version.clear();
  } while (!options.continue_token.empty());
  held_.with([&](Held& held) { held = std::move(listed); });
  stream_ = client_.watch(
      resource_,
      {.namespace_ = namespace_, .resource_version = std::move(version), .timeout_seconds = kWatched}, *this);
  return {};
}

void AutoscalerInformer::on_bytes(std::string_view bytes) {
  if (!framer_.feed(bytes, [this](std::string_view line) { on_event(line); })) on_end({});
}

void AutoscalerInformer::on_end(Result<void> /*outcome*/) {
  held_.with([](Held& held) { held.is_watched = false; });
}

// An ERROR is the last line of its watch.
void AutoscalerInformer::on_event(std::string_view line) {
  boost::system::error_code trouble;
  const json::value event = json::parse(line, trouble);
  if (trouble || !event.is_object() || !event.as_object().contains("object")) return;
  const json::value& object = event.at("object");
  const std::string type = word_at(event, "/type");
  held_.with([&](Held& held) {
    if (type == "ADDED" || type == "MODIFIED") held.objects.insert_or_assign(name_of(object), object);
    if (type == "DELETED") held.objects.erase(name_of(object));
  });
}

}  // namespace capstan::envtest
