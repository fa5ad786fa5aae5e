#include "infrastructure/controller/cluster/act.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/core/secret.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "infrastructure/controller/cluster/authority_secret.h"
#include "infrastructure/controller/cluster/orphan_place.h"
#include "infrastructure/controller/cluster/orphan_work.h"
#include "infrastructure/controller/turn_steps.h"
#include "kube/resources.h"

namespace capstan::infrastructure::cluster {
namespace {

using api::NoteCode;
namespace annotation = api::driver::annotation;

constexpr Seconds kUntilThere{5};
constexpr Seconds kUntilUserActs{180};

// One turn's work on one object.
class Work {
 public:
  Work(const ActContext& with, const Observation& seen) : with_(with), seen_(seen), object_(*seen.object) {}

  Effects run(const Plan& plan) {
    for (const Action& action : plan.actions) {
      if (!std::visit([&](const auto& each) { return perform(each); }, action)) break;
    }
    effects_.object = std::make_shared<const api::DriverCluster>(object_);
    return std::move(effects_);
  }

 private:
  // True: the next action may follow.
  bool perform(const MintKey&) {
    api::DriverCluster wanted = object_;
    wanted.spec.cluster_key = Text(random_uuid(with_.deps.randomness));
    return write(wanted, kube::Lock::Always);
  }

  bool perform(const SignOn& action) {
    api::DriverCluster wanted = object_;
    wanted.metadata.finalizers = action.to;
    wanted.metadata.annotations.set(Text(annotation::kMadeControlPlane), Text("true"));
    return write(wanted);
  }

  bool perform(const ProvideControlPlane& action) {
    auto plane = with_.deps.control_planes.ensure(action.cluster, deadline());
    if (!plane) return fail_with(NoteCode::ControlPlaneUnavailable, plane.error().message, kUntilThere);
    if (!write_endpoint(*plane)) return false;
    effects_.provided = !action.write_authority || write_authority(plane->authority);
    return effects_.provided;
  }

  bool perform(const TakeEndpoint&) {
    effects_.provided = true;
    return true;
  }

  bool perform(const RemoveControlPlane& action) {
    const auto removed = with_.deps.control_planes.remove(action.cluster, deadline());
    return removed ? true : fail_with(NoteCode::NotDeleted, removed.error().message, kUntilThere);
  }

  bool perform(const DropFinalizer&) {
    const auto dropped =
        drop_finalizer(with_, with_.deps.caches.driver_clusters, object_, api::driver::finalizer::kCluster);
    if (!dropped) return fail_with(dropped.error());
    effects_.released = true;
    return true;
  }

  // What becomes of orphans is no matter of the cluster's own readiness: the next action may always follow.
  bool perform(const MarkOrphan& action) { return OrphanWork(with_, seen_, effects_).mark(action.vm), true; }
  bool perform(const UnmarkVm& action) { return OrphanWork(with_, seen_, effects_).unmark(action.vm), true; }
  bool perform(const RemoveOrphan& action) {
    return OrphanWork(with_, seen_, effects_).remove(action.vm), true;
  }
  // The Cluster has changed meanwhile: its own change wakes the next turn.
  bool perform(const GiveUpPlace&) { return (void)give_up_place(with_, *seen_.cluster), true; }

  bool write_endpoint(const sim::ControlPlane& plane) {
    const api::ApiEndpoint& known = object_.spec.control_plane_endpoint;
    if (!known.valid()) {
      api::DriverCluster wanted = object_;
      wanted.spec.control_plane_endpoint = {.host = Text(plane.host), .port = plane.port};
      return write(wanted);
    }
    if (known.host == plane.host && known.port == plane.port) return true;
    return fail_with(
        NoteCode::EndpointDiffers,
        fmt::format("spec.controlPlaneEndpoint is {}:{}, but the control plane of this cluster is at {}:{} "
                    "now",
                    known.host.view(), known.port.value_or(0), plane.host, plane.port),
        kUntilUserActs);
  }

  bool write_authority(const net::KeyAndCertificate& authority) {
    if (authority.private_key_pem.reveal().empty()) return true;
    const ObjectKey key = authority_key(seen_.cluster_key);
    const auto created = with_.deps.client.create(
        kube::resources::secrets(), key, authority_secret(*seen_.cluster, authority), {}, deadline());
    if (created) return true;
    if (created.error().code == Code::AlreadyExists) return is_same_authority(key, authority);
    return fail_with(created.error());
  }

  // The answer to an earlier try may have got lost; an authority that is not ours would lock every client
  // out.
  bool is_same_authority(const ObjectKey& key, const net::KeyAndCertificate& authority) {
    const auto present = with_.deps.client.get(kube::resources::secrets(), key, deadline());
    const auto content =
        present ? api::read_secret(*present) : Result<api::SecretContent>(fail(present.error()));
    if (!content) return fail_with(content.error());
    const auto* certificate = content->find(api::secret::kTlsCertificateKey);
    if (certificate != nullptr && certificate->reveal() == authority.certificate_pem) return true;
    return fail_with(
        NoteCode::AuthorityTaken,
        fmt::format("Secret {} holds another certificate authority than the one of this control plane; "
                    "delete the Secret",
                    key.describe()),
        kUntilUserActs);
  }

  bool write(const api::DriverCluster& wanted, kube::Lock lock = kube::Lock::WhenArraysChange) {
    const auto written =
        infrastructure::write(with_, with_.deps.caches.driver_clusters, object_, wanted, lock);
    return written ? true : fail_with(written.error());
  }

  bool fail_with(NoteCode code, std::string message, Seconds retry) {
    effects_.trouble = Trouble{.code = code, .message = std::move(message), .retry = retry};
    return false;
  }
  bool fail_with(const Error& error) {
    effects_.error = error;
    return false;
  }
  const Deadline& deadline() const { return with_.context.deadline; }

  const ActContext& with_;
  const Observation& seen_;
  api::DriverCluster object_;
  Effects effects_;
};

}  // namespace

Effects act(const ActContext& with, const Observation& seen, const Plan& plan) {
  return Work(with, seen).run(plan);
}

}  // namespace capstan::infrastructure::cluster
