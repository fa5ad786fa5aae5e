// What the wait for volumes to detach reads from a workload cluster: VolumeAttachments, PersistentVolumes and
// the volumes a Node says it has. Projections, read when needed and dropped. Plain values.
#pragma once

#include <string>

#include "api/core/object_reference.h"
#include "api/meta/object_meta.h"
#include "api/schema/resource.h"

namespace capstan::api {

struct VolumeAttachmentSource {
  Text persistent_volume_name = {};
  bool operator==(const VolumeAttachmentSource&) const = default;
};
template <>
inline constexpr auto members<VolumeAttachmentSource> =
    std::array{member<&VolumeAttachmentSource::persistent_volume_name>("persistentVolumeName")};

struct VolumeAttachmentSpec {
  Text attacher = {};
  Text node_name = {};
  VolumeAttachmentSource source = {};
  bool operator==(const VolumeAttachmentSpec&) const = default;
};
template <>
inline constexpr auto members<VolumeAttachmentSpec> = std::array{
    member<&VolumeAttachmentSpec::attacher>("attacher"),
    member<&VolumeAttachmentSpec::node_name>("nodeName"),
    member<&VolumeAttachmentSpec::source>("source"),
};

struct VolumeAttachmentStatus {
  bool attached = false;
  bool operator==(const VolumeAttachmentStatus&) const = default;
};
template <>
inline constexpr auto members<VolumeAttachmentStatus> =
    std::array{member<&VolumeAttachmentStatus::attached>("attached")};

struct VolumeAttachment {
  ObjectMeta metadata = {};
  VolumeAttachmentSpec spec = {};
  VolumeAttachmentStatus status = {};
  bool operator==(const VolumeAttachment&) const = default;
};
template <>
inline constexpr ResourceInfo resource<VolumeAttachment> = {.group = "storage.k8s.io",
                                                            .version = "v1",
                                                            .kind = "VolumeAttachment",
                                                            .plural = "volumeattachments",
                                                            .scope = Scope::Cluster,
                                                            .status_subresource = true};
template <>
inline constexpr auto members<VolumeAttachment> = std::array{
    member<&VolumeAttachment::metadata>("metadata"),
    member<&VolumeAttachment::spec>("spec"),
    member<&VolumeAttachment::status>("status"),
};

struct CsiVolume {
  Text driver = {};
  Text volume_handle = {};

  // As Nodes list it: "kubernetes.io/csi/<driver>^<handle>".
  std::string attached_name() const {
    return "kubernetes.io/csi/" + driver.str() + "^" + volume_handle.str();
  }
  bool operator==(const CsiVolume&) const = default;
};
template <>
inline constexpr auto members<CsiVolume> = std::array{
    member<&CsiVolume::driver>("driver"),
    member<&CsiVolume::volume_handle>("volumeHandle"),
};

struct PersistentVolumeSpec {
  std::optional<CsiVolume> csi = {};
  std::optional<ObjectReference> claim_ref = {};
  bool operator==(const PersistentVolumeSpec&) const = default;
};
template <>
inline constexpr auto members<PersistentVolumeSpec> = std::array{
    member<&PersistentVolumeSpec::csi>("csi"),
    member<&PersistentVolumeSpec::claim_ref>("claimRef"),
};

struct PersistentVolume {
  ObjectMeta metadata = {};
  PersistentVolumeSpec spec = {};
  bool operator==(const PersistentVolume&) const = default;
};
template <>
inline constexpr ResourceInfo resource<PersistentVolume> = {.version = "v1",
                                                            .kind = "PersistentVolume",
                                                            .plural = "persistentvolumes",
                                                            .scope = Scope::Cluster,
                                                            .status_subresource = true};
template <>
inline constexpr auto members<PersistentVolume> = std::array{
    member<&PersistentVolume::metadata>("metadata"),
    member<&PersistentVolume::spec>("spec"),
};

struct AttachedVolume {
  Text name = {};
  bool operator==(const AttachedVolume&) const = default;
};
template <>
inline constexpr auto members<AttachedVolume> = std::array{member<&AttachedVolume::name>("name")};

struct NodeVolumesStatus {
  List<AttachedVolume> volumes_attached = {};
  bool operator==(const NodeVolumesStatus&) const = default;
};
template <>
inline constexpr auto members<NodeVolumesStatus> =
    std::array{member<&NodeVolumesStatus::volumes_attached>("volumesAttached")};

// The other look at a Node: only its volumes, which the cached one leaves out.
struct NodeVolumes {
  ObjectMeta metadata = {};
  NodeVolumesStatus status = {};
  bool operator==(const NodeVolumes&) const = default;
};
template <>
inline constexpr ResourceInfo resource<NodeVolumes> = {
    .version = "v1", .kind = "Node", .plural = "nodes", .scope = Scope::Cluster, .status_subresource = true};
template <>
inline constexpr auto members<NodeVolumes> = std::array{
    member<&NodeVolumes::metadata>("metadata"),
    member<&NodeVolumes::status>("status"),
};

}  // namespace capstan::api
