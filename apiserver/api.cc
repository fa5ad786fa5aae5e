#include "apiserver/api.h"

#include "apiserver/controllers/controllers.h"
#include "apiserver/core.h"
#include "apiserver/document/document.h"
#include "apiserver/store/crd_kinds.h"
#include "apiserver/verbs/subresources.h"
#include "apiserver/verbs/verbs.h"

namespace capstan::apiserver {

class Api::Impl {
 public:
  explicit Impl(const ApiOptions& options) : core(options) {}
  Core core;
  Controllers controllers = {};
  Storage::Subscription work = {};
};

namespace {

constexpr std::string_view kFirstNamespaces[] = {"default", "kube-system", "kube-public", "kube-node-lease"};

void create_first(Core& core, Request request, json::object object) {
  request.user_agent = "kube-apiserver/v1.36.3";
  request.body.value = std::move(object);
  const auto target = resolve(core, request);
  if (target) create_object(core, *target, request);
}

// What is there before the first request.
void create_first_objects(Core& core) {
  for (const auto name : kFirstNamespaces) {
    create_first(core, {.verb = Verb::Create, .version = "v1", .resource = "namespaces"},
                 {{"metadata", json::object{{"name", name}}}});
  }
  create_first(
      core, {.verb = Verb::Create, .version = "v1", .resource = "services", .namespace_ = "default"},
      json::parse(
          R"({"metadata":{"name":"kubernetes","labels":{"component":"apiserver","provider":"kubernetes"}},
                 "spec":{"clusterIP":"10.0.0.1","ports":[{"name":"https","port":443,"targetPort":6443}]}})")
          .get_object());
  core.storage.begin_everywhere();
}

Response on_object(Core& core, const Target& target, const Request& request) {
  switch (request.verb) {
    case Verb::Get: return get_object(core, target, request);
    case Verb::List: return list_objects(core, target, request);
    case Verb::Watch: break;
    case Verb::Create: return create_object(core, target, request);
    case Verb::Update: return replace_object(core, target, request);
    case Verb::Patch: return patch_object(core, target, request);
    case Verb::Delete: return delete_object(core, target, request);
    case Verb::DeleteCollection: return delete_collection(core, target, request);
  }
  return method_not_allowed(to_string(request.verb));
}

Response on_status(Core& core, const Target& target, const Request& request) {
  if (!target.version->has_status)
    return target.type->custom ? not_found(target.subject()) : path_not_found();
  switch (request.verb) {
    case Verb::Get: return get_object(core, target, request);
    case Verb::Update: return replace_object(core, target, request);
    case Verb::Patch: return patch_object(core, target, request);
    case Verb::List:
    case Verb::Watch:
    case Verb::Create:
    case Verb::Delete:
    case Verb::DeleteCollection: break;
  }
  return method_not_supported(target.subject(), to_string(request.verb));
}

Response dispatch(Core& core, const Target& target, const Request& request) {
  if (target.subresource.empty()) return on_object(core, target, request);
  if (target.status()) return on_status(core, target, request);
  if (target.subresource == "scale" && target.version->scale) return scale_object(core, target, request);
  return extra_subresource(core, target, request);
}

std::string deprecation_of(const Target& target) {
  if (!target.version->deprecation_warning.empty()) return target.version->deprecation_warning;
  auto warning = target.api_version() + " " + target.type->kind + " is deprecated";
  const ServedVersion* better = nullptr;
  for (const auto& one : target.type->versions) {
    const bool newer =
        version_rank(one.name) > version_rank((better == nullptr ? target.version : better)->name);
    if (one.served && !one.deprecated && newer) better = &one;
  }
  if (better != nullptr)
    warning += "; use " + target.type->api_version(better->name) + " " + target.type->kind;
  return warning;
}

// The kinds a write to CRDs is about; a created one is named by the answer.
void follow_crds(Core& core, const Request& request, const Response& response) {
  switch (request.verb) {
    case Verb::Get:
    case Verb::List:
    case Verb::Watch: return;
    case Verb::Create: follow_crd(core, name_of(*response.object)); return;
    case Verb::Update:
    case Verb::Patch:
    case Verb::Delete: follow_crd(core, request.name); return;
    case Verb::DeleteCollection:
      for (const auto& crd : response.items) follow_crd(core, name_of(*crd));
  }
}

}  // namespace

// NOLINTNEXTLINE(performance-unnecessary-value-param): a designated initialiser at every caller
Api::Api(ApiOptions options) : impl_(std::make_unique<Impl>(options)) { create_first_objects(impl_->core); }

Api::~Api() = default;

Response Api::call(const Request& request) {
  const auto target = resolve(impl_->core, request);
  if (!target) return target.error();
  auto response = dispatch(impl_->core, *target, request);
  if (target->version->deprecated)
    response.warnings.insert(response.warnings.begin(), deprecation_of(*target));
  if (target->collection == kCrdCollection && response.ok() && !request.query.dry_run) {
    follow_crds(impl_->core, request, response);
  }
  return response;
}

std::expected<std::unique_ptr<Watch>, Response> Api::watch(const Request& request) {
  const auto target = resolve(impl_->core, request);
  if (!target) return Refusal(target.error());
  return open_watch(impl_->core, *target, request);
}

std::vector<TypePtr> Api::types() const { return impl_->core.registry.types(); }

TypePtr Api::type(std::string_view group, std::string_view plural) const {
  return impl_->core.registry.find(group, plural).type;
}

ObjectPtr Api::stored(std::string_view group, std::string_view plural, std::string_view ns,
                      std::string_view name) const {
  const auto kind = impl_->core.registry.find(group, plural);
  if (!kind) return nullptr;
  return impl_->core.storage.find(kind.type->group_resource(),
                                  {.namespace_ = std::string(ns), .name = std::string(name)});
}

std::vector<ObjectPtr> Api::stored_all(std::string_view group, std::string_view plural) const {
  std::vector<ObjectPtr> objects;
  const auto kind = impl_->core.registry.find(group, plural);
  if (!kind) return objects;
  const auto page = impl_->core.storage.list(kind.type->group_resource(), {});
  for (const auto& [key, object] : page->items) objects.push_back(object);
  return objects;
}

bool Api::run_controllers() { return impl_->controllers.run(impl_->core); }

void Api::on_work(std::function<void()> wake) {
  impl_->work = wake ? impl_->core.storage.subscribe("", std::move(wake)) : nullptr;
}

void Api::expire_watches() { impl_->core.storage.expire(); }

const Clock& Api::clock() const { return impl_->core.options.clock; }

}  // namespace capstan::apiserver
