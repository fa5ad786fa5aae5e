#include "kube/list_each.h"

#include <boost/json.hpp>

#include "kube/typed.h"

namespace capstan::kube {
namespace {

constexpr std::int64_t kItemsOfPage = 500;

std::string text_of_page(const json::value& page, std::string_view pointer) {
  json::error_code missing;
  const json::value* found = page.find_pointer(pointer, missing);
  return found != nullptr && found->is_string() ? std::string(std::string_view(found->get_string()))
                                                : std::string();
}

}  // namespace

Result<std::string> list_each(Client& client, const Resource& resource, ListOptions options,
                              const Deadline& deadline, const std::function<void(json::value&&)>& take) {
  if (options.limit == 0) options.limit = kItemsOfPage;
  const std::string trying = detail::attempt("list", resource, {options.namespace_, ""});
  std::string version;
  do {
    auto page = client.list(resource, options, deadline);
    if (!page) return fail(page.error().context(trying));
    json::value* items = page->is_object() ? page->get_object().if_contains("items") : nullptr;
    if (version.empty()) version = text_of_page(*page, "/metadata/resourceVersion");
    std::string next = text_of_page(*page, "/metadata/continue");
    if (!next.empty() && next == options.continue_token) {
      return fail(
          Error{.code = Code::Unavailable, .message = trying + ": a page continues with its own token"});
    }
    options.continue_token = std::move(next);
    if (items == nullptr || items->is_null()) continue;
    if (!items->is_array())
      return fail(Error{.code = Code::Invalid, .message = trying + ": items is no list"});
    for (json::value& item : items->get_array()) take(std::move(item));
  } while (!options.continue_token.empty());
  return version;
}

}  // namespace capstan::kube
