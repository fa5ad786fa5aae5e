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

}  // namespace

// The caller's deadline is the driver's, too.
template <typename Wanted, typename Request>
DriverResult<Wanted> RemoteDriver::call(std::string_view verb, Request request,
                                        const Credentials& credentials, const Deadline& deadline) {
  const SteadyTime now = clock_.steady_now();
  const Deadline until = deadline.no_later_than(now + kLongestCall);
  request.timeout_milliseconds = milliseconds_until(until, now);
  const auto answer = transport_.post(verb, api::encode(request), until);
  auto read = answer ? read_answer<Wanted>(*answer) : DriverResult<Wanted>(std::unexpected(answer.error()));
  if (!read) return std::unexpected(presentable(std::move(read).error(), credentials));
  return read;
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
  auto answer = call<VmAnswer>(verb::kCreate, std::move(request), credentials, deadline);
  if (!answer) return std::unexpected(answer.error());
  return vm_asked_for({.instance_key = wanted.instance_key}, *answer);
}

DriverResult<Vm> RemoteDriver::initialize(const InitializeVm& wanted, const Credentials& credentials,
                                          const Deadline& deadline) {
  auto request = about<InitializeRequest>(wanted.id, credentials);
  request.vm_class = Text(wanted.vm_class);
  request.provider_spec = raw_json(wanted.provider_spec);
  auto answer = call<VmAnswer>(verb::kInitialize, std::move(request), credentials, deadline);
  if (!answer) return std::unexpected(answer.error());
  return vm_asked_for(wanted.id, *answer);
}

DriverResult<void> RemoteDriver::remove(const VmId& id, const Credentials& credentials,
                                        const Deadline& deadline) {
  const auto answer =
      call<EmptyAnswer>(verb::kDelete, about<VmRequest>(id, credentials), credentials, deadline);
  if (!answer) return std::unexpected(answer.error());
  return {};
}

DriverResult<Vm> RemoteDriver::status(const VmId& id, const Credentials& credentials,
                                      const Deadline& deadline) {
  const auto answer = call<VmAnswer>(verb::kStatus, about<VmRequest>(id, credentials), credentials, deadline);
  if (!answer) return std::unexpected(answer.error());
  return vm_asked_for(id, *answer);
}

// All pages or none: half a list would make the VMs of the other half look gone.
DriverResult<std::vector<Vm>> RemoteDriver::list(const Tags& tags, const Credentials& credentials,
                                                 const Deadline& deadline) {
  const Deadline until = deadline.no_later_than(clock_.steady_now() + kLongestCall);
  ListRequest request{.credentials = message_of(credentials), .tags = message_of(tags)};
  Listing listing(tags);
  do {
    const auto page = call<ListAnswer>(verb::kList, request, credentials, until);
    if (!page) return std::unexpected(page.error());
    if (auto added = listing.add(*page); !added) return std::unexpected(added.error());
    request.continue_ = page->continue_;
  } while (!request.continue_.empty());
  return std::move(listing).vms();
}

DriverResult<void> RemoteDriver::tag(const VmId& id, const Tags& tags, const Credentials& credentials,
                                     const Deadline& deadline) {
  auto request = about<TagRequest>(id, credentials);
  request.tags = message_of(tags);
  const auto answer = call<EmptyAnswer>(verb::kTag, std::move(request), credentials, deadline);
  if (!answer) return std::unexpected(answer.error());
  return {};
}

DriverResult<std::vector<std::string>> RemoteDriver::volume_ids(std::span<const std::string> volume_specs,
                                                                const Deadline& deadline) {
  VolumeIdsRequest request;
  for (const std::string& spec : volume_specs) request.volumes.push_back(raw_json(spec));
  const auto answer = call<VolumeIdsAnswer>(verb::kVolumeIds, std::move(request), {}, deadline);
  if (!answer) return std::unexpected(answer.error());
  std::vector<std::string> ids;
  for (const Text& id : answer->ids) ids.push_back(id.str());
  return ids;
}

DriverResult<Identity> RemoteDriver::identity(const Credentials& credentials, const Deadline& deadline) {
  const auto answer = call<IdentityAnswer>(
      verb::kIdentity, IdentityRequest{.credentials = message_of(credentials)}, credentials, deadline);
  if (!answer) return std::unexpected(answer.error());
  return Identity{
      .driver = answer->driver.str(), .account = answer->account.str(), .region = answer->region.str()};
}

}  // namespace capstan::infrastructure::remote
