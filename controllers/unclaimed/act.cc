#include "controllers/unclaimed/act.h"

#include <fmt/format.h>

#include <boost/json.hpp>

#include "api/names.h"
#include "api/policy/mcm_names.h"
#include "api/policy/names.h"
#include "base/try.h"
#include "kube/resources.h"
#include "kube/typed.h"
#include "runtime/note.h"

namespace capstan::controllers::unclaimed {
namespace {

using runtime::Note;

boost::json::value patch_of(const NodeMark& mark) {
  const boost::json::value wanted =
      mark.why.empty() ? boost::json::value(nullptr) : boost::json::value(mark.why);
  boost::json::object annotations = {{api::policy::annotation::kNotManaged, wanted}};
  if (mark.by_mcm) annotations[api::policy::mcm::kNotManaged] = nullptr;
  return {{"metadata", {{"annotations", annotations}}}};
}

Note note_of(const NodeMark& mark) {
  const std::string_view node = mark.node->metadata.name;
  if (mark.why.empty())
    return {.code = api::NoteCode::NodeManaged, .text = fmt::format("Node {} is claimed again", node)};
  return {.code = api::NoteCode::NodeNotManaged,
          .text = fmt::format("Node {} is left alone: {}", node, mark.why)};
}

Result<void> write(const ActContext& with, const api::Cluster& cluster, const NodeMark& mark,
                   kubeconfig::WorkloadCluster& workload) {
  const auto written =
      kube::patch_briefly(workload.client(), kube::resources::nodes(), kube::key_of(*mark.node),
                          patch_of(mark), {}, with.context.deadline);
  if (!written && written.error().code == Code::NotFound) return {};
  if (!written) return fail(written.error());
  // One that no policy governs any more is as unclaimed as before.
  if (mark.why.empty() && !mark.claimed) return {};
  record_note(with.deps.events, runtime::reference_to(kube::resource_of<api::Cluster>(), cluster.metadata),
              note_of(mark));
  return {};
}

}  // namespace

Result<void> act(const ActContext& with, const Observation& seen, const Plan& plan,
                 kubeconfig::WorkloadCluster& workload) {
  for (const NodeMark& mark : plan.marks) TRY(write(with, *seen.cluster, mark, workload));
  return {};
}

}  // namespace capstan::controllers::unclaimed
