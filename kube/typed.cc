#include "kube/typed.h"

#include "kube/list_each.h"

namespace capstan::kube {

namespace detail {

std::string attempt(std::string_view verb, const Resource& resource, const ObjectKey& key) {
  std::string text = std::string(verb) + " " + resource.kind;
  const std::string name = key.name.empty() ? key.namespace_ : key.describe();
  return name.empty() ? text : text + " " + name;
}

namespace {

std::string text_at(const json::value& document, std::string_view pointer) {
  json::error_code missing;
  const json::value* found = document.find_pointer(pointer, missing);
  return found != nullptr && found->is_string() ? std::string(std::string_view(found->get_string()))
                                                : std::string();
}

}  // namespace

ObjectKey key_in(const json::value& document) {
  return {text_at(document, "/metadata/namespace"), text_at(document, "/metadata/name")};
}

Error unlisted(Error error, const json::value& item, const Resource& resource, Quoting quoting) {
  const ObjectKey key = quoting == Quoting::Everything ? key_in(item) : ObjectKey{};
  return without_quotes(std::move(error), quoting).context(attempt("list", resource, key));
}

Result<RawList> list_raw(Client& client, const Resource& resource, ListOptions options,
                         const Deadline& deadline) {
  RawList all;
  all.version = TRY(list_each(client, resource, std::move(options), deadline,
                              [&](json::value&& item) { all.items.push_back(std::move(item)); }));
  return all;
}

Error as_conflict(Error error) {
  if (error.code == Code::Invalid && error.causes.empty()) error.code = Code::Conflict;
  return error;
}

}  // namespace detail

namespace {

Into briefly(api::Written& written) {
  return {.type = &api::type_of<api::Written>, .object = &written, .metadata_only = true};
}

}  // namespace

Result<api::Written> create_briefly(Client& client, const Resource& resource, const ObjectKey& key,
                                    const json::value& object, const WriteOptions& options,
                                    const Deadline& deadline) {
  api::Written written;
  TRY(client.create_into(briefly(written), resource, key, object, options, deadline));
  return written;
}

Result<api::Written> patch_briefly(Client& client, const Resource& resource, const ObjectKey& key,
                                   const json::value& body, const PatchOptions& options,
                                   const Deadline& deadline) {
  api::Written written;
  TRY(client.patch_into(briefly(written), resource, key, body, options, deadline));
  return written;
}

}  // namespace capstan::kube
