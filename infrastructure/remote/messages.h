// What a driver in another process is asked and what it answers: one JSON object each way for each verb
// (docs/drivers.md). The descriptors are the protocol: codec, OpenAPI and tests walk them. Plain values.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "api/schema/field.h"
#include "api/v1beta2/machine.h"

namespace capstan::infrastructure::remote {

using api::RawJson;
using api::TextMap;
using api::UnknownFields;

// A VM as the driver describes it.
struct VmMessage {
  Text provider_id = {};
  Text name = {};
  Text state = {};
  TextMap tags = {};
  api::List<api::MachineAddress> addresses = {};
  Text failure_domain = {};
  std::optional<bool> interruptible = {};
  UnknownFields unknown = {};
};

struct CreateRequest {
  std::int64_t timeout_milliseconds = 0;
  RawJson credentials = {};
  Text instance_key = {};
  Text name = {};
  TextMap tags = {};
  Text vm_class = {};
  Text failure_domain = {};
  Text kubernetes_version = {};
  RawJson provider_spec = {};
  FreeText user_data = {};
  Text user_data_format = {};
  FreeText last_known_state = {};
  UnknownFields unknown = {};
};

struct InitializeRequest {
  std::int64_t timeout_milliseconds = 0;
  RawJson credentials = {};
  Text provider_id = {};
  Text instance_key = {};
  Text vm_class = {};
  RawJson provider_spec = {};
  FreeText last_known_state = {};
  UnknownFields unknown = {};
};

// Of status and delete: about one VM.
struct VmRequest {
  std::int64_t timeout_milliseconds = 0;
  RawJson credentials = {};
  Text provider_id = {};
  Text instance_key = {};
  FreeText last_known_state = {};
  UnknownFields unknown = {};
};

struct TagRequest {
  std::int64_t timeout_milliseconds = 0;
  RawJson credentials = {};
  Text provider_id = {};
  Text instance_key = {};
  TextMap tags = {};
  UnknownFields unknown = {};
};

struct ListRequest {
  std::int64_t timeout_milliseconds = 0;
  RawJson credentials = {};
  TextMap tags = {};
  Text continue_ = {};
  UnknownFields unknown = {};
};

struct VolumeIdsRequest {
  std::int64_t timeout_milliseconds = 0;
  std::vector<RawJson> volumes = {};
  UnknownFields unknown = {};
};

struct IdentityRequest {
  std::int64_t timeout_milliseconds = 0;
  RawJson credentials = {};
  UnknownFields unknown = {};
};

// Of create, initialize and status.
struct VmAnswer {
  VmMessage vm = {};
  FreeText last_known_state = {};
  UnknownFields unknown = {};
};

// Of delete and tag.
struct EmptyAnswer {
  UnknownFields unknown = {};
};

struct ListAnswer {
  std::vector<VmMessage> vms = {};
  Text continue_ = {};
  UnknownFields unknown = {};
};

struct VolumeIdsAnswer {
  std::vector<Text> ids = {};
  UnknownFields unknown = {};
};

struct IdentityAnswer {
  Text driver = {};
  Text account = {};
  Text region = {};
  UnknownFields unknown = {};
};

// Of any verb, with an HTTP status that is not 200.
struct ErrorAnswer {
  Text code = {};
  FreeText message = {};
  std::optional<std::int64_t> retry_after_seconds = {};
  FreeText last_known_state = {};
  UnknownFields unknown = {};
};

namespace rules {

inline constexpr api::Rules kTimeout = {
    .minimum = 1, .required = true, .doc = "The caller waits no longer than this for the answer."};
// Not a TextMap: what is interned is to be no secret (base/text.h).
inline constexpr api::Rules kCredentials = {
    .preserve_unknown = true,
    .doc = "The Secret that credentialsRef names, each value in base64; absent when there is none."};
inline constexpr api::Rules kProviderId = {
    .max_length = 512, .doc = "The cloud's name of the VM. The VM is found by it wherever it is given."};
inline constexpr api::Rules kInstanceKey = {
    .max_length = 63, .doc = "Identity of the VM, which it carries as the tag capstan.dev/instance-key."};
inline constexpr api::Rules kTags = {.doc = "Tags of the VM."};
inline constexpr api::Rules kClass = {.doc = "Size of the VM in the cloud's words."};
inline constexpr api::Rules kSpec = {.preserve_unknown = true,
                                     .doc = "spec.providerSpec of the object, as its user wrote it."};
inline constexpr api::Rules kState = {
    .max_length = 4096,
    .doc =
        "Whatever the driver wants to know again in its next call about this VM; kept on the object until "
        "a call succeeds without one, or fails for good."};
inline constexpr api::Rules kNext = {
    .doc = "Of a page that is not the last: what the next request repeats to get the page after it."};

}  // namespace rules
}  // namespace capstan::infrastructure::remote

namespace capstan::api {

namespace remote = infrastructure::remote;

template <>
inline constexpr auto members<remote::VmMessage> = std::array{
    member<&remote::VmMessage::provider_id>("providerID",
                                            {.min_length = 1,
                                             .max_length = 512,
                                             .required = true,
                                             .doc = "What the Node of this VM has as spec.providerID."}),
    member<&remote::VmMessage::name>(
        "name",
        {.min_length = 1, .max_length = 253, .required = true, .doc = "What the Node of this VM is called."}),
    member<&remote::VmMessage::state>(
        "state", {.one_of = "Pending|Running|Stopping|Stopped", .required = true, .doc = "How it is now."}),
    member<&remote::VmMessage::tags>("tags", remote::rules::kTags),
    member<&remote::VmMessage::addresses>(
        "addresses", {.max_items = 256, .list = ListType::Atomic, .doc = "Addresses of the VM."}),
    member<&remote::VmMessage::failure_domain>("failureDomain",
                                               {.max_length = 256, .doc = "Where the VM is."}),
    member<&remote::VmMessage::interruptible>(
        "interruptible", {.doc = "Whether the cloud may take the VM back at any time (a spot instance)."}),
};

template <>
inline constexpr auto members<remote::CreateRequest> = std::array{
    member<&remote::CreateRequest::timeout_milliseconds>("timeoutMilliseconds", remote::rules::kTimeout),
    member<&remote::CreateRequest::credentials>("credentials", remote::rules::kCredentials),
    member<&remote::CreateRequest::instance_key>(
        "instanceKey", {.min_length = 1,
                        .max_length = 63,
                        .required = true,
                        .doc = "Identity of the VM. When a VM has the tag capstan.dev/instance-key with this "
                               "value, the answer is that VM and no second one is made."}),
    member<&remote::CreateRequest::name>(
        "name", {.min_length = 1, .max_length = 253, .required = true, .doc = "Name of the VM to be."}),
    member<&remote::CreateRequest::tags>("tags", remote::rules::kTags),
    member<&remote::CreateRequest::vm_class>("class", remote::rules::kClass),
    member<&remote::CreateRequest::failure_domain>(
        "failureDomain", {.doc = "Where the VM is to be; absent: where the driver likes."}),
    member<&remote::CreateRequest::kubernetes_version>(
        "kubernetesVersion", {.doc = "Of the Node to be, for drivers that choose images by it."}),
    member<&remote::CreateRequest::provider_spec>("providerSpec", remote::rules::kSpec),
    member<&remote::CreateRequest::user_data>("userData",
                                              {.doc = "What the VM runs when it boots, in base64."}),
    member<&remote::CreateRequest::user_data_format>("userDataFormat",
                                                     {.doc = "cloud-config, ignition or script."}),
    member<&remote::CreateRequest::last_known_state>("lastKnownState", remote::rules::kState),
};

template <>
inline constexpr auto members<remote::InitializeRequest> = std::array{
    member<&remote::InitializeRequest::timeout_milliseconds>("timeoutMilliseconds", remote::rules::kTimeout),
    member<&remote::InitializeRequest::credentials>("credentials", remote::rules::kCredentials),
    member<&remote::InitializeRequest::provider_id>("providerID", remote::rules::kProviderId),
    member<&remote::InitializeRequest::instance_key>("instanceKey", remote::rules::kInstanceKey),
    member<&remote::InitializeRequest::vm_class>("class", remote::rules::kClass),
    member<&remote::InitializeRequest::provider_spec>("providerSpec", remote::rules::kSpec),
    member<&remote::InitializeRequest::last_known_state>("lastKnownState", remote::rules::kState),
};

template <>
inline constexpr auto members<remote::VmRequest> = std::array{
    member<&remote::VmRequest::timeout_milliseconds>("timeoutMilliseconds", remote::rules::kTimeout),
    member<&remote::VmRequest::credentials>("credentials", remote::rules::kCredentials),
    member<&remote::VmRequest::provider_id>("providerID", remote::rules::kProviderId),
    member<&remote::VmRequest::instance_key>("instanceKey", remote::rules::kInstanceKey),
    member<&remote::VmRequest::last_known_state>("lastKnownState", remote::rules::kState),
};

template <>
inline constexpr auto members<remote::TagRequest> = std::array{
    member<&remote::TagRequest::timeout_milliseconds>("timeoutMilliseconds", remote::rules::kTimeout),
    member<&remote::TagRequest::credentials>("credentials", remote::rules::kCredentials),
    member<&remote::TagRequest::provider_id>("providerID", remote::rules::kProviderId),
    member<&remote::TagRequest::instance_key>("instanceKey", remote::rules::kInstanceKey),
    member<&remote::TagRequest::tags>(
        "tags", {.required = true, .doc = "Tags to set; one with an empty value is taken off."}),
};

template <>
inline constexpr auto members<remote::ListRequest> = std::array{
    member<&remote::ListRequest::timeout_milliseconds>("timeoutMilliseconds", remote::rules::kTimeout),
    member<&remote::ListRequest::credentials>("credentials", remote::rules::kCredentials),
    member<&remote::ListRequest::tags>("tags",
                                       {.doc = "VMs that have all of these; absent: all VMs there are."}),
    member<&remote::ListRequest::continue_>("continue", remote::rules::kNext),
};

template <>
inline constexpr auto members<remote::VolumeIdsRequest> = std::array{
    member<&remote::VolumeIdsRequest::timeout_milliseconds>("timeoutMilliseconds", remote::rules::kTimeout),
    member<&remote::VolumeIdsRequest::volumes>("volumes", {.list = ListType::Atomic,
                                                           .required = true,
                                                           .preserve_unknown = true,
                                                           .doc = "Specs of PersistentVolumes."}),
};

template <>
inline constexpr auto members<remote::IdentityRequest> = std::array{
    member<&remote::IdentityRequest::timeout_milliseconds>("timeoutMilliseconds", remote::rules::kTimeout),
    member<&remote::IdentityRequest::credentials>("credentials", remote::rules::kCredentials),
};

template <>
inline constexpr auto members<remote::VmAnswer> = std::array{
    member<&remote::VmAnswer::vm>("vm", {.required = true, .doc = "The VM."}),
    member<&remote::VmAnswer::last_known_state>("lastKnownState", remote::rules::kState),
};

template <>
inline constexpr auto members<remote::EmptyAnswer> = std::array<Member, 0>{};

template <>
inline constexpr auto members<remote::ListAnswer> = std::array{
    member<&remote::ListAnswer::vms>(
        "vms", {.list = ListType::Atomic, .required = true, .doc = "One page of VMs, each of them once."}),
    member<&remote::ListAnswer::continue_>("continue", remote::rules::kNext),
};

template <>
inline constexpr auto members<remote::VolumeIdsAnswer> = std::array{
    member<&remote::VolumeIdsAnswer::ids>(
        "ids",
        {.list = ListType::Atomic,
         .required = true,
         .doc = "The cloud's names of those of the volumes that are the driver's own, in their order."}),
};

template <>
inline constexpr auto members<remote::IdentityAnswer> = std::array{
    member<&remote::IdentityAnswer::driver>(
        "driver", {.min_length = 1, .max_length = 63, .required = true, .doc = "Name of the driver."}),
    member<&remote::IdentityAnswer::account>(
        "account", {.max_length = 256, .doc = "Whose VMs these credentials reach."}),
    member<&remote::IdentityAnswer::region>("region", {.max_length = 256, .doc = "Where these VMs are."}),
};

template <>
inline constexpr auto members<remote::ErrorAnswer> = std::array{
    member<&remote::ErrorAnswer::code>(
        "code", {.one_of = "Canceled|Unknown|InvalidArgument|DeadlineExceeded|NotFound|AlreadyExists|"
                           "PermissionDenied|ResourceExhausted|FailedPrecondition|Aborted|OutOfRange|"
                           "Unimplemented|Internal|Unavailable|DataLoss|Unauthenticated|Uninitialized",
                 .required = true,
                 .doc = "What kind of failure it is. A word that is not in the list is taken for Unknown."}),
    member<&remote::ErrorAnswer::message>(
        "message", {.max_length = 1024, .doc = "For people: what is wrong and what they can do."}),
    member<&remote::ErrorAnswer::retry_after_seconds>(
        "retryAfterSeconds",
        {.minimum = 0, .maximum = 86400, .doc = "The same request is not sent again before."}),
    member<&remote::ErrorAnswer::last_known_state>("lastKnownState", remote::rules::kState),
};

}  // namespace capstan::api
