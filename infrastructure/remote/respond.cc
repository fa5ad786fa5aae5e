#include "infrastructure/remote/respond.h"

#include <fmt/format.h>

#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "api/schema/validate.h"
#include "base/base64.h"
#include "infrastructure/remote/credentials_wire.h"
#include "infrastructure/remote/pages.h"
#include "infrastructure/remote/wire.h"

namespace capstan::infrastructure::remote {
namespace {

// One call as the driver gets it.
struct Incoming {
  Driver& driver;
  std::string_view body;
  const Clock& clock;
  Deadline deadline;
};

std::unexpected<DriverError> refuse(std::string_view why) {
  return driver_failure(DriverCode::InvalidArgument, fmt::format("the request is wrong: {}", why));
}

template <typename Request>
DriverResult<Request> read_request(Incoming& call) {
  auto request = api::decode<Request>(call.body);
  if (!request) return refuse(request.error().message);
  if (const auto causes = api::validate(*request); !causes.empty())
    return refuse(causes.front().field + ": " + causes.front().message);
  call.deadline = call.deadline.no_later_than(call.clock.steady_now() +
                                              std::chrono::milliseconds(request->timeout_milliseconds));
  return std::move(*request);
}

template <typename Request>
DriverResult<Credentials> credentials_in(const Request& request) {
  auto credentials = credentials_of(request.credentials);
  if (!credentials) return refuse(credentials.error().message);
  return std::move(*credentials);
}

template <typename Request>
VmId id_in(const Request& request) {
  VmId id{.provider_id = request.provider_id.str(), .instance_key = request.instance_key.str()};
  if constexpr (requires { request.last_known_state; }) id.last_known_state = request.last_known_state.str();
  return id;
}

DriverResult<VmAnswer> answer_with(const DriverResult<Vm>& vm) {
  if (!vm) return std::unexpected(vm.error());
  return VmAnswer{.vm = message_of(*vm), .last_known_state = FreeText(vm->last_known_state)};
}

DriverResult<EmptyAnswer> answer_with(const DriverResult<void>& done) {
  if (!done) return std::unexpected(done.error());
  return EmptyAnswer();
}

DriverResult<VmAnswer> serve(Incoming& call, const CreateRequest& request, const Credentials& credentials) {
  auto user_data = base64_decode(request.user_data);
  if (!user_data) return refuse("userData is no base64");
  return answer_with(call.driver.create({.instance_key = request.instance_key.str(),
                                         .name = request.name.str(),
                                         .tags = tags_of(request.tags),
                                         .vm_class = request.vm_class.str(),
                                         .failure_domain = request.failure_domain.str(),
                                         .kubernetes_version = request.kubernetes_version.str(),
                                         .provider_spec = std::string(request.provider_spec.text()),
                                         .user_data = Secret<std::string>(std::move(*user_data)),
                                         .user_data_format = request.user_data_format.str(),
                                         .last_known_state = request.last_known_state.str()},
                                        credentials, call.deadline));
}

DriverResult<VmAnswer> serve(Incoming& call, const InitializeRequest& request,
                             const Credentials& credentials) {
  return answer_with(call.driver.initialize({.id = id_in(request),
                                             .vm_class = request.vm_class.str(),
                                             .provider_spec = std::string(request.provider_spec.text())},
                                            credentials, call.deadline));
}

DriverResult<EmptyAnswer> serve(Incoming& call, const TagRequest& request, const Credentials& credentials) {
  return answer_with(call.driver.tag(id_in(request), tags_of(request.tags), credentials, call.deadline));
}

DriverResult<IdentityAnswer> serve(Incoming& call, const IdentityRequest&, const Credentials& credentials) {
  const auto identity = call.driver.identity(credentials, call.deadline);
  if (!identity) return std::unexpected(identity.error());
  return IdentityAnswer{
      .driver = Text(identity->driver), .account = Text(identity->account), .region = Text(identity->region)};
}

DriverResult<VmAnswer> serve_status(Incoming& call, const VmRequest& request,
                                    const Credentials& credentials) {
  return answer_with(call.driver.status(id_in(request), credentials, call.deadline));
}

DriverResult<EmptyAnswer> serve_delete(Incoming& call, const VmRequest& request,
                                       const Credentials& credentials) {
  return answer_with(call.driver.remove(id_in(request), credentials, call.deadline));
}

DriverResult<VolumeIdsAnswer> serve_volume_ids(Incoming& call, const VolumeIdsRequest& request) {
  std::vector<std::string> specs;
  for (const RawJson& volume : request.volumes) specs.emplace_back(volume.text());
  const auto ids = call.driver.volume_ids(specs, call.deadline);
  if (!ids) return std::unexpected(ids.error());
  VolumeIdsAnswer answer;
  for (const std::string& id : *ids) answer.ids.emplace_back(id);
  return answer;
}

DriverResult<ListAnswer> serve(Incoming& call, const ListRequest& request, const Credentials& credentials) {
  auto vms = call.driver.list(tags_of(request.tags), credentials, call.deadline);
  if (!vms) return std::unexpected(vms.error());
  return page_of(std::move(*vms), request.continue_);
}

template <typename T>
Answer written(const DriverResult<T>& result) {
  return result ? Answer{.status = kOk, .body = api::encode(*result)} : answer_of(result.error());
}

template <typename Request, typename Serve>
Answer with_request(Incoming& call, const Serve& with) {
  const auto request = read_request<Request>(call);
  if (!request) return answer_of(request.error());
  const auto credentials = credentials_in(*request);
  if (!credentials) return answer_of(credentials.error());
  return written(with(call, *request, *credentials));
}

template <typename Request>
Answer with_request(Incoming& call) {
  return with_request<Request>(call,
                               [](Incoming& each, const Request& request, const Credentials& credentials) {
                                 return serve(each, request, credentials);
                               });
}

Answer volume_ids(Incoming& call) {
  const auto request = read_request<VolumeIdsRequest>(call);
  return request ? written(serve_volume_ids(call, *request)) : answer_of(request.error());
}

}  // namespace

Answer respond(Driver& driver, std::string_view verb, std::string_view body, const Clock& clock,
               const Deadline& deadline) {
  Incoming call{.driver = driver, .body = body, .clock = clock, .deadline = deadline};
  if (verb == verb::kCreate) return with_request<CreateRequest>(call);
  if (verb == verb::kInitialize) return with_request<InitializeRequest>(call);
  if (verb == verb::kDelete) return with_request<VmRequest>(call, serve_delete);
  if (verb == verb::kStatus) return with_request<VmRequest>(call, serve_status);
  if (verb == verb::kList) return with_request<ListRequest>(call);
  if (verb == verb::kTag) return with_request<TagRequest>(call);
  if (verb == verb::kVolumeIds) return volume_ids(call);
  if (verb == verb::kIdentity) return with_request<IdentityRequest>(call);
  return answer_of({.code = DriverCode::Unimplemented, .message = fmt::format("there is no verb {}", verb)});
}

Answer answer_of(const DriverError& error) {
  return {.status = kFailed, .body = api::encode(message_of(error))};
}

}  // namespace capstan::infrastructure::remote
