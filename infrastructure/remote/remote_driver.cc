#include "infrastructure/remote/remote_driver.h"

#include <algorithm>

#include "api/schema/encode.h"
#include "base/base64.h"
#include "infrastructure/remote/answers.h"
#include "infrastructure/remote/credentials_wire.h"
#include "infrastructure/remote/masking.h"
#include "infrastructure/remote/wire.h"

namespace capstan::infrastructure::remote {
namespace {

constexpr Nanoseconds kLongestCall = std::chrono::minutes(5);

std::int64_t milliseconds_until(const Deadline& deadline, SteadyTime now) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline.at - now).count();
  return std::max<std::int64_t>(left, 1);
}

template <typename Request>
Request about(const VmId& id, const Credentials& credentials) {
  Request request{.credentials = message_of(credentials),
                  .provider_id = Text(id.provider_id),
                  .instance_key = Text(id.instance_key)};
  if constexpr (requires { request.last_known_state; })
    request.last_known_state = FreeText(id.last_known_state);
  return request;
}

DriverResult<void> done(const EmptyAnswer&) { return {}; }

DriverResult<std::vector<std::string>> ids_in(const VolumeIdsAnswer& answer) {
  std::vector<std::string> ids;
  for (const Text& id : answer.ids) ids.push_back(id.str());
  return ids;
}

DriverResult<Identity> identity_in(const IdentityAnswer& answer) {
  return Identity{
      .driver = answer.driver.str(), .account = answer.account.str(), .region = answer.region.str()};
}

}  // namespace

// The caller's deadline is the driver's, too. All that is wrong is shown to people, what `meaning` finds,
// too.
template <typename Answered, typename Request, typename Meaning>
auto RemoteDriver::call(const Call& how, Request request, const Meaning& meaning)
    -> std::invoke_result_t<const Meaning&, const Answered&> {
  const SteadyTime now = clock_.steady_now();
  const Deadline until = how.deadline.no_later_than(now + kLongestCall);
  request.timeout_milliseconds = milliseconds_until(until, now);
  const auto failure = [&](DriverError error) {
    return std::unexpected(presentable(std::move(error), how.credentials, how.user_data));
  };
  const auto answer = transport_.post(how.verb, api::encode(request), until);
  if (!answer) return failure(answer.error());
  const auto read = read_answer<Answered>(*answer);
  if (!read) return failure(read.error());
  auto result = meaning(*read);
  if (!result) return failure(std::move(result).error());
  return result;
}

DriverResult<Vm> RemoteDriver::create(const CreateVm& wanted, const Credentials& credentials,
                                      const Deadline& deadline) {
  CreateRequest request{.credentials = message_of(credentials),
                        .instance_key = Text(wanted.instance_key),
                        .name = Text(wanted.name),
                        .tags = message_of(wanted.tags),
                        .vm_class = Text(wanted.vm_class),
                        .failure_domain = Text(wanted.failure_domain),
                        .kubernetes_version = Text(wanted.kubernetes_version),
                        .provider_spec = raw_json(wanted.provider_spec),
                        .user_data = FreeText(base64_encode(wanted.user_data.reveal())),
                        .user_data_format = Text(wanted.user_data_format),
                        .last_known_state = FreeText(wanted.last_known_state)};
  const Call how{.verb = verb::kCreate,
                 .credentials = credentials,
                 .deadline = deadline,
                 .user_data = wanted.user_data.reveal()};
  return call<VmAnswer>(how, std::move(request), [&](const VmAnswer& answer) {
    return vm_asked_for({.instance_key = wanted.instance_key}, answer);
  });
}

DriverResult<Vm> RemoteDriver::initialize(const InitializeVm& wanted, const Credentials& credentials,
                                          const Deadline& deadline) {
  auto request = about<InitializeRequest>(wanted.id, credentials);
  request.vm_class = Text(wanted.vm_class);
  request.provider_spec = raw_json(wanted.provider_spec);
  return call<VmAnswer>({.verb = verb::kInitialize, .credentials = credentials, .deadline = deadline},
                        std::move(request),
                        [&](const VmAnswer& answer) { return vm_asked_for(wanted.id, answer); });
}

DriverResult<void> RemoteDriver::remove(const VmId& id, const Credentials& credentials,
                                        const Deadline& deadline) {
  return call<EmptyAnswer>({.verb = verb::kDelete, .credentials = credentials, .deadline = deadline},
                           about<VmRequest>(id, credentials), done);
}

DriverResult<Vm> RemoteDriver::status(const VmId& id, const Credentials& credentials,
                                      const Deadline& deadline) {
  return call<VmAnswer>({.verb = verb::kStatus, .credentials = credentials, .deadline = deadline},
                        about<VmRequest>(id, credentials),
                        [&](const VmAnswer& answer) { return vm_asked_for(id, answer); });
}

// All pages or none: half a list would make the VMs of the other half look gone.
DriverResult<std::vector<Vm>> RemoteDriver::list(const Tags& tags, const Credentials& credentials,
                                                 const Deadline& deadline) {
  const Deadline until = deadline.no_later_than(clock_.steady_now() + kLongestCall);
  const Call how{.verb = verb::kList, .credentials = credentials, .deadline = until};
  ListRequest request{.credentials = message_of(credentials), .tags = message_of(tags)};
  Listing listing(tags);
  do {
    const auto added = call<ListAnswer>(how, request, [&](const ListAnswer& page) {
      request.continue_ = page.continue_;
      return listing.add(page);
    });
    if (!added) return std::unexpected(added.error());
  } while (!request.continue_.empty());
  return std::move(listing).vms();
}

DriverResult<void> RemoteDriver::tag(const VmId& id, const Tags& tags, const Credentials& credentials,
                                     const Deadline& deadline) {
  auto request = about<TagRequest>(id, credentials);
  request.tags = message_of(tags);
  return call<EmptyAnswer>({.verb = verb::kTag, .credentials = credentials, .deadline = deadline},
                           std::move(request), done);
}

DriverResult<std::vector<std::string>> RemoteDriver::volume_ids(std::span<const std::string> volume_specs,
                                                                const Deadline& deadline) {
  VolumeIdsRequest request;
  for (const std::string& spec : volume_specs) request.volumes.push_back(raw_json(spec));
  const Credentials none;
  return call<VolumeIdsAnswer>({.verb = verb::kVolumeIds, .credentials = none, .deadline = deadline},
                               std::move(request), ids_in);
}

DriverResult<Identity> RemoteDriver::identity(const Credentials& credentials, const Deadline& deadline) {
  return call<IdentityAnswer>({.verb = verb::kIdentity, .credentials = credentials, .deadline = deadline},
                              IdentityRequest{.credentials = message_of(credentials)}, identity_in);
}

}  // namespace capstan::infrastructure::remote
