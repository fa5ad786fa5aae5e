#include <fmt/format.h>

#include <charconv>

#include "apiserver/document/document.h"
#include "apiserver/verbs/continue_token.h"
#include "apiserver/verbs/selection.h"
#include "apiserver/verbs/verbs.h"

namespace capstan::apiserver {
namespace {

constexpr std::size_t kChunk = 512;

Response version_too_large(std::uint64_t asked, std::uint64_t current) {
  auto response = status_error(
      504, "Timeout", fmt::format("Timeout: Too large resource version: {}, current: {}", asked, current),
      {{"causes", json::array{json::object{{"reason", "ResourceVersionTooLarge"},
                                           {"message", "Too large resource version"}}}},
       {"retryAfterSeconds", 1}});
  response.retry_after_seconds = 1;
  return response;
}

// Where a list starts and which moment it shows.
struct ListPlan {
  ListQuery query = {};
  std::optional<std::uint64_t> exactly = {};  // the moment was asked for by name
};

Answer<ListPlan> list_plan(const Core& core, const Target& target, const Request& request) {
  const auto& query = request.query;
  ListPlan plan{.query = {.namespace_ = request.namespace_}};
  if (!query.continue_token.empty() && !core.has(Defect::ContinueIgnored)) {
    if (!query.resource_version.empty() && query.resource_version != "0") {
      return Refusal(bad_request("specifying resource version is not allowed when using continue"));
    }
    auto token = parse_continue(query.continue_token);
    if (!token)
      return Refusal(bad_request("invalid continue token: continue key is not valid: " + token.error()));
    plan.query.after = token->after;
    if (token->version != 0 && !core.has(Defect::ListPageNotSnapshot)) plan.query.at = token->version;
    return plan;
  }
  const auto asked = parse_version(query.resource_version);
  if (!asked) return Refusal(asked.error());
  if (*asked > core.storage.version()) return Refusal(version_too_large(*asked, core.storage.version()));
  if (query.resource_version_match == "Exact") plan.query.at = plan.exactly = *asked;
  (void)target;
  return plan;
}

Response list_expired(const Request& request, const StoredKey& after) {
  if (request.query.continue_token.empty()) {
    return expired("The resourceVersion for the provided list is too old.");
  }
  auto response = expired(
      "The provided continue parameter is too old to display a consistent list result. You can start a new "
      "list without "
      "the continue parameter, or use the continue token in this response to retrieve the remainder of the "
      "results. "
      "Continuing with the provided token results in an inconsistent list - objects that were created, "
      "modified, or "
      "deleted between the time the first chunk was returned and now may show up in the list.");
  auto status = *response.object;
  metadata_of(status)["continue"] = render_continue({.version = 0, .after = after});
  response.object = std::make_shared<const json::object>(std::move(status));
  return response;
}

}  // namespace

Response get_object(const Core& core, const Target& target, const Request& request) {
  const auto asked = parse_version(request.query.resource_version);
  if (!asked) return asked.error();
  if (*asked > core.storage.version()) return version_too_large(*asked, core.storage.version());
  const auto stored = core.storage.find(target.collection, target.key);
  if (!stored) return not_found(target.subject());
  auto object = as_requested(core, target, stored);
  if (!object) return std::move(object).error();
  return answer(target, *object);
}

Response list_objects(const Core& core, const Target& target, const Request& request) {
  if (auto refusal = refuse_list_options(request, false)) return *refusal;
  const auto selection = Selection::parse(target, request);
  if (!selection) return selection.error();
  auto plan = list_plan(core, target, request);
  if (!plan) return std::move(plan).error();

  // "Any version will do" is answered from a cache that knows no pages.
  const bool paged = request.query.limit > 0 && request.query.resource_version != "0";
  const auto limit = paged ? static_cast<std::size_t>(request.query.limit) : SIZE_MAX;
  Response response = answer(target, nullptr);
  response.list = true;
  response.bare_items = !target.type->custom;
  std::optional<std::uint64_t> shown;
  bool more = true;
  auto query = plan->query;
  while (more && response.items.size() < limit) {
    query.max = limit == SIZE_MAX ? SIZE_MAX : std::max(kChunk, limit);
    const auto page = core.storage.list(target.collection, query);
    if (!page) return list_expired(request, query.after.value_or(StoredKey()));
    if (!shown) shown = page->version;
    query.at = shown;
    std::vector<ObjectPtr> stored;
    for (const auto& [key, object] : page->items) stored.push_back(object);
    auto objects = all_as_requested(core, target, std::move(stored));
    if (!objects) return std::move(objects).error();
    more = page->more;
    for (std::size_t i = 0; i < objects->size(); ++i) {
      if (response.items.size() == limit) {
        more = true;
        break;
      }
      query.after = page->items[i].first;
      if (selection->matches(*(*objects)[i])) response.items.push_back(std::move((*objects)[i]));
    }
  }

  json::object metadata{{"resourceVersion", std::to_string(*shown)}};
  if (target.type->custom) metadata["continue"] = "";
  if (more) {
    metadata["continue"] = render_continue({.version = *shown, .after = *query.after});
    if (selection->everything()) {
      query.max = SIZE_MAX;
      const auto rest = core.storage.list(target.collection, query);
      if (rest) metadata["remainingItemCount"] = rest->items.size();
    }
  }
  response.object = std::make_shared<const json::object>(json::object{{"kind", target.type->list_kind},
                                                                      {"apiVersion", target.api_version()},
                                                                      {"metadata", std::move(metadata)}});
  return response;
}

}  // namespace capstan::apiserver
