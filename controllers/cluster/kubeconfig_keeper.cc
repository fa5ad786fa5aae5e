#include "controllers/cluster/kubeconfig_keeper.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/core/secret.h"
#include "api/names.h"
#include "base/base64.h"
#include "base/time.h"
#include "base/try.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "kubeconfig/issue.h"
#include "kubeconfig/secret.h"
#include "runtime/ownership.h"

namespace capstan::controllers::cluster {
namespace {

namespace json = boost::json;

constexpr Seconds kLookAgain{30};
// A Secret that works is still deleted now and then, to have it reissued.
constexpr Seconds kGlance = std::chrono::hours(1);

// One look after the Secret of one Cluster.
struct Task {
  kube::Client& client;
  const api::Cluster& cluster;
  WallTime now = {};
  const Deadline& deadline;
};

// What came of it.
struct Found {
  bool made = false;
  bool works = true;  // as far as the Secret tells
  std::optional<Note> obstacle = {};
  bool undecided = false;  // whether there is an obstacle
};

// What stands under the name of the Secret.
struct Present {
  bool exists = false;
  bool ours = false;
  std::string version = {};
  std::optional<WallTime> ends = {};
  std::optional<Error> defect = {};  // why it is no kubeconfig
  kubeconfig::Kubeconfig config = {};

  bool ends_before(WallTime when) const { return ends && *ends < when; }
};

Result<Present> look(const Task& task) {
  const kube::ObjectKey key = kubeconfig::secret_key_of(kube::key_of(task.cluster));
  const auto answer = task.client.get(kube::resources::secrets(), key, task.deadline);
  if (!answer && answer.error().code == Code::NotFound) return Present{};
  if (!answer) return fail(answer.error().context("get secret " + key.describe()));
  const auto metadata = TRY(api::from_json<api::ObjectMeta>(answer->at("metadata")));
  Present present{.exists = true,
                  .ours = runtime::is_owned_by(metadata, task.cluster.metadata.uid),
                  .version = metadata.resource_version.str()};
  const auto content = TRY(api::read_secret(*answer));
  auto config = kubeconfig::kubeconfig_in(content);
  if (config) {
    present.ends = kubeconfig::certificate_end(*config);
    present.config = std::move(*config);
  } else {
    present.defect = config.error();
  }
  return present;
}

Result<api::SecretContent> read_ca(const Task& task) {
  const kube::ObjectKey key = kubeconfig::ca_key_of(kube::key_of(task.cluster));
  const auto answer = task.client.get(kube::resources::secrets(), key, task.deadline);
  if (!answer && answer.error().code == Code::NotFound)
    return fail(Code::NotFound, "secret " + key.describe() + " does not exist");
  if (!answer) return fail(answer.error().context("get secret " + key.describe()));
  return api::read_secret(*answer);
}

// NotFound or Invalid when there is no CA to sign with.
Result<kubeconfig::Kubeconfig> issue(const Task& task, const Result<api::SecretContent>& ca) {
  if (!ca) return fail(ca.error());
  const auto& endpoint = task.cluster.spec.control_plane_endpoint;
  return kubeconfig::issue_admin(*ca, {.cluster_name = task.cluster.metadata.name.str(),
                                       .host = endpoint.host.str(),
                                       .port = endpoint.port.value_or(0),
                                       .now = task.now});
}

Result<void> create(const Task& task, const kubeconfig::Kubeconfig& config) {
  const kube::ObjectKey cluster = kube::key_of(task.cluster);
  const kube::ObjectKey key = kubeconfig::secret_key_of(cluster);
  const kubeconfig::Owner owner{.api_version = std::string(api::kApiVersion),
                                .kind = std::string(api::kind::kCluster),
                                .name = cluster.name,
                                .uid = task.cluster.metadata.uid.str()};
  const auto text = TRY(kubeconfig::render(config));
  const auto created =
      task.client.create(kube::resources::secrets(), key, kubeconfig::secret_object(cluster, owner, text),
                         {.field_manager = std::string(api::field_manager::kManager)}, task.deadline);
  // Another writer was faster: there is a Secret now.
  if (!created && created.error().code != Code::AlreadyExists)
    return fail(created.error().context("write secret " + key.describe()));
  return {};
}

Result<void> replace(const Task& task, const Present& present, const kubeconfig::Kubeconfig& config) {
  const kube::ObjectKey key = kubeconfig::secret_key_of(kube::key_of(task.cluster));
  const auto text = TRY(kubeconfig::render(config));
  json::object content;
  content[api::secret::kValueKey] = base64_encode(text.reveal());
  const json::value body = {{"metadata", {{"resourceVersion", present.version}}},
                            {"data", std::move(content)}};
  const auto replaced =
      task.client.patch(kube::resources::secrets(), key, body,
                        {.field_manager = std::string(api::field_manager::kManager)}, task.deadline);
  if (!replaced) return fail(replaced.error().context("write secret " + key.describe()));
  return {};
}

Note waits_for_ca(const Task& task, const Error& error) {
  return {.code = api::NoteCode::WaitingForClusterCA,
          .text = fmt::format("no control plane object makes the kubeconfig: {1}; put the CA's tls.crt and "
                              "tls.key into Secret {0}-ca, or create Secret {0}-kubeconfig",
                              task.cluster.metadata.name.view(), error.message)};
}

bool lacks_ca(const Error& error) { return error.code == Code::NotFound || error.code == Code::Invalid; }
bool is_refusal(const Error& error) { return error.code == Code::Forbidden || error.code == Code::Invalid; }

Note not_made(const Task& task, const Error& error) {
  return {.code = api::NoteCode::KubeconfigNotMade,
          .text = fmt::format("no control plane object makes the kubeconfig, and neither may this manager: "
                              "{1}; allow it, or create Secret {0}-kubeconfig",
                              task.cluster.metadata.name.view(), error.message)};
}

Result<Found> make(const Task& task) {
  const auto issued = issue(task, read_ca(task));
  if (!issued && lacks_ca(issued.error()))
    return Found{.works = false, .obstacle = waits_for_ca(task, issued.error())};
  const auto made = issued ? create(task, *issued) : fail(issued.error());
  if (made) return Found{.made = true};
  if (!is_refusal(made.error())) return fail(made.error());
  return Found{.works = false, .obstacle = not_made(task, made.error())};
}

Note not_renewed(const Task& task, const Present& present, std::string_view why, std::string_view remedy) {
  return {.code = api::NoteCode::KubeconfigNotRenewed,
          .text = fmt::format(
              "the client certificate in Secret {}-kubeconfig {} {} and can't be renewed: {}; {}, "
              "or renew the certificate yourself",
              task.cluster.metadata.name.view(), present.ends_before(task.now) ? "ended" : "ends",
              Time::from(*present.ends).to_string(), why, remedy)};
}

// What passes by itself is no news.
bool passes(Code code) { return is_transient(code) || code == Code::Cancelled; }

// It lets people in for months to come: no reason to fail a turn, and none to replace what works by what may
// not.
Found renew(const Task& task, const Present& present) {
  const auto ca = read_ca(task);
  const bool works = !present.ends_before(task.now);
  const auto doubt = ca && works ? kubeconfig::made_with_another_ca(present.config, *ca) : std::nullopt;
  if (doubt) {
    const std::string remedy = fmt::format(
        "put the CA that is in use into Secret {0}-ca, or delete Secret {0}-kubeconfig to have it made with "
        "the present one",
        task.cluster.metadata.name.view());
    return {.obstacle = not_renewed(task, present, *doubt, remedy)};
  }
  const auto issued = issue(task, ca);
  const auto renewed = issued ? replace(task, present, *issued) : fail(issued.error());
  if (renewed) return {.made = true};
  Found found{.works = works, .undecided = passes(renewed.error().code)};
  if (found.undecided) return found;
  const std::string remedy = !issued && lacks_ca(issued.error())
                                 ? fmt::format("put the CA's tls.crt and tls.key into Secret {}-ca",
                                               task.cluster.metadata.name.view())
                                 : "allow this manager to";
  found.obstacle = not_renewed(task, present, renewed.error().message, remedy);
  return found;
}

// It is not overwritten: a user may be editing it.
Note unreadable(const Error& error) {
  return {.code = api::NoteCode::KubeconfigUnreadable,
          .text = error.message + "; repair it, or delete it to have it made again"};
}

Result<Found> look_after(const Task& task) {
  const Present present = TRY(look(task));
  if (!present.exists) return make(task);
  if (!present.ours) return Found{};  // its writer renews it
  if (present.defect) return Found{.works = false, .obstacle = unreadable(*present.defect)};
  if (present.ends_before(task.now + kubeconfig::kRenewBefore)) return renew(task, present);
  return Found{};
}

}  // namespace

std::optional<KubeconfigKeeper::Known> KubeconfigKeeper::known(const api::Cluster& cluster) const {
  const auto found = known_.with([&](const auto& all) -> std::optional<Known> {
    const auto at = all.find(kube::key_of(cluster));
    return at == all.end() ? std::nullopt : std::optional<Known>(at->second);
  });
  return found && found->cluster == cluster.metadata.uid ? found : std::nullopt;
}

Result<KubeconfigKeeper::Kept> KubeconfigKeeper::keep(const api::Cluster& cluster, bool connected,
                                                      const Deadline& deadline) {
  const SteadyTime now = clock_.steady_now();
  const auto before = known(cluster);
  if (before && now - before->checked < before->patience(connected))
    return Kept{.look_again = before->look_again(now)};

  Found found = TRY(look_after({client_, cluster, clock_.now(), deadline}));
  if (found.undecided && before) found.obstacle = before->obstacle;
  const Known after{
      .cluster = cluster.metadata.uid, .checked = now, .works = found.works, .obstacle = found.obstacle};
  known_.with([&](auto& all) { all[kube::key_of(cluster)] = after; });
  Kept kept{.look_again = after.look_again(now), .made = found.made};
  if (!before || before->obstacle != after.obstacle) kept.warning = after.obstacle;
  return kept;
}

Seconds KubeconfigKeeper::Known::patience(bool connected) const {
  return connected && works ? kGlance : kLookAgain;
}

std::optional<Seconds> KubeconfigKeeper::Known::look_again(SteadyTime now) const {
  if (works) return std::nullopt;  // the periodic resync brings turns enough
  return std::chrono::ceil<Seconds>(kLookAgain - (now - checked));
}

void KubeconfigKeeper::forget(const kube::ObjectKey& cluster) {
  known_.with([&](auto& all) { all.erase(cluster); });
}

}  // namespace capstan::controllers::cluster
