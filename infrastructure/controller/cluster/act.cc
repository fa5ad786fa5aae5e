#include "infrastructure/controller/cluster/act.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/core/secret.h"
#include "api/driver/names.h"
#include "api/names.h"
#include "infrastructure/controller/cluster/authority_secret.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/finalizers.h"

namespace capstan::infrastructure::cluster {
namespace {

namespace finalizer = api::driver::finalizer;
namespace reason = api::driver::reason;

constexpr Seconds kUntilThere{5};
constexpr Seconds kUntilSomebodyActs{180};

// One turn's work on one object.
class Work {
 public:
  Work(const ActDeps& deps, const runtime::Context& context, const Observation& seen)
      : deps_(deps), context_(context), seen_(seen), object_(*seen.object) {}

  Effects done(void (Work::*step)()) {
    (this->*step)();
    effects_.object = std::make_shared<const api::DriverCluster>(object_);
    return std::move(effects_);
  }

  void ensure() {
    if (!put_finalizer()) return;
    auto plane = deps_.control_planes.ensure(seen_.cluster_key, context_.deadline);
    if (!plane) return trouble(reason::kControlPlaneUnavailable, plane.error().message, kUntilThere);
    effects_.provided = write_endpoint(*plane) && write_authority(plane->authority);
  }

  void trust() { effects_.provided = true; }

  void remove() {
    const auto removed = deps_.control_planes.remove(seen_.cluster_key, context_.deadline);
    if (!removed) return trouble(reason::kDeleteFailed, removed.error().message, kUntilThere);
    const auto dropped =
        runtime::drop_finalizer(deps_.client, deps_.consistency, deps_.caches.driver_clusters, object_,
                                finalizer::kCluster, context_.deadline);
    if (!dropped) return fail_with(dropped.error());
    effects_.released = true;
  }

 private:
  bool put_finalizer() {
    if (object_.metadata.has_finalizer(finalizer::kCluster)) return true;
    api::DriverCluster wanted = object_;
    auto finalizers = *wanted.metadata.finalizers;
    finalizers.emplace_back(finalizer::kCluster);
    wanted.metadata.finalizers = api::Finalizers(std::move(finalizers));
    wanted.metadata.annotations.set(Text(api::driver::annotation::kMadeControlPlane), Text("true"));
    return write(wanted);
  }

  // The endpoint is promised to others once it is written: a different one is trouble, not a correction.
  bool write_endpoint(const sim::ControlPlane& plane) {
    const api::ApiEndpoint& known = object_.spec.control_plane_endpoint;
    if (!known.valid()) {
      api::DriverCluster wanted = object_;
      wanted.spec.control_plane_endpoint = {.host = Text(plane.host), .port = plane.port};
      return write(wanted);
    }
    if (known.host == plane.host && known.port == plane.port) return true;
    trouble(
        reason::kEndpointDiffers,
        fmt::format("spec.controlPlaneEndpoint is {}:{}, but the control plane of this cluster is at {}:{} "
                    "now",
                    known.host.view(), known.port.value_or(0), plane.host, plane.port),
        kUntilSomebodyActs);
    return false;
  }

  bool write_authority(const net::KeyAndCertificate& authority) {
    const bool known = object_.status.initialization.provisioned.value_or(false);
    if (known || authority.private_key_pem.reveal().empty()) return true;
    const kube::ObjectKey key = authority_key(seen_.cluster_key);
    const auto created = deps_.client.create(
        kube::resources::secrets(), key, authority_secret(*seen_.cluster, authority), {}, context_.deadline);
    if (created) return true;
    if (created.error().code == Code::AlreadyExists) return is_same_authority(key, authority);
    fail_with(created.error());
    return false;
  }

  // The answer to an earlier try may have got lost; an authority that is not ours would lock every client
  // out.
  bool is_same_authority(const kube::ObjectKey& key, const net::KeyAndCertificate& authority) {
    const auto present = deps_.client.get(kube::resources::secrets(), key, context_.deadline);
    const auto content =
        present ? api::read_secret(*present) : Result<api::SecretContent>(fail(present.error()));
    if (!content) {
      fail_with(content.error());
      return false;
    }
    const auto* certificate = content->find(api::secret::kTlsCertificateKey);
    if (certificate != nullptr && certificate->reveal() == authority.certificate_pem) return true;
    trouble(reason::kAuthorityTaken,
            fmt::format("Secret {} holds another certificate authority than the one of this control plane; "
                        "delete the Secret",
                        key.describe()),
            kUntilSomebodyActs);
    return false;
  }

  bool write(const api::DriverCluster& wanted) {
    auto written = kube::patch(deps_.client, object_, wanted, context_.deadline);
    if (!written) {
      fail_with(written.error());
      return false;
    }
    if (!*written) return true;
    object_ = std::move(**written);
    deps_.consistency.wrote(kube::key_of(object_), deps_.caches.driver_clusters,
                            object_.metadata.resource_version);
    return true;
  }

  void trouble(std::string_view why, std::string message, Seconds retry) {
    effects_.trouble = Trouble{.reason = why, .message = std::move(message), .retry = retry};
  }
  void fail_with(const Error& error) { effects_.error = error; }

  const ActDeps& deps_;
  const runtime::Context& context_;
  const Observation& seen_;
  api::DriverCluster object_;
  Effects effects_;
};

}  // namespace

Effects act(const ActDeps& deps, const runtime::Context& context, const Observation& seen, const Plan& plan) {
  Work work(deps, context, seen);
  switch (plan.step) {
    case Step::Ensure: return work.done(&Work::ensure);
    case Step::Trust: return work.done(&Work::trust);
    case Step::Remove: return work.done(&Work::remove);
    case Step::Rest:
    case Step::Wait: break;
  }
  return {};
}

}  // namespace capstan::infrastructure::cluster
