// The parts of a round that are about the Secret and the Node.
#include "agent/acceptance.h"
#include "agent/agent.h"
#include "agent/connections.h"
#include "agent/memory.h"
#include "agent/places.h"
#include "api/bootstrap/names.h"
#include "base/try.h"
#include "kube/resources.h"

namespace capstan::agent {
namespace {

std::string_view without_blanks(std::string_view word) {
  while (word.starts_with(' ')) word.remove_prefix(1);
  while (word.ends_with(' ')) word.remove_suffix(1);
  return word;
}

// "a, b.service"; what can be no unit's name is left out.
std::set<std::string> units_in(std::string_view list) {
  std::set<std::string> units;
  while (!list.empty()) {
    const auto end = std::min(list.find(','), list.size());
    if (const auto unit = unit_name(without_blanks(list.substr(0, end)))) units.insert(*unit);
    list.remove_prefix(std::min(end + 1, list.size()));
  }
  return units;
}

}  // namespace

// What is not known for sure is read in the next round.
Result<void> Agent::read_own_node() {
  kube::Client* kubelet = TRY(client(Credential::Kubelet));
  auto news = clients_.news(Credential::Kubelet, kube::resources::nodes(), {.name = node_name_}, soon());
  if (!news) {
    node_.reset();
    return fail(news.error().context("read Node " + node_name_));
  }
  if (*news) node_ = own_node_in(**news);
  running_version_ = node_->kubelet_version;
  return take_requests(*kubelet);
}

// They are restarted once the annotation is gone for sure, and known on disk before it goes: once, whenever
// this process is killed.
Result<void> Agent::take_requests(kube::Client& kubelet) {
  using api::bootstrap::annotation::kRestartServices;
  State next = state_;
  if (const auto found = node_->annotations.find(kRestartServices); found != node_->annotations.end()) {
    next.asked.merge(units_in(found->second));
    TRY(save(next));
    TRY(mark_node(kubelet, {.annotations = {{std::string(kRestartServices), std::nullopt}}},
                  node_->resource_version));
  }
  next.restarts.merge(next.asked);
  next.asked.clear();
  return save(next);
}

Result<void> Agent::mark_node(kube::Client& kubelet, const NodeMarks& marks, const std::string& version) {
  auto node = agent::mark_node(kubelet, {.name = node_name_}, marks, soon(), version);
  if (!node) {
    node_.reset();
    clients_.read_again(Credential::Kubelet);
    return fail(node.error());
  }
  clients_.knows(Credential::Kubelet, node->resource_version);
  node_ = std::move(*node);
  return {};
}

Result<void> Agent::read_config() {
  TRY(client(Credential::Own));
  const auto offer = latest_offer();
  if (offer) return consider(*offer);
  offer_.reset();
  clients_.read_again(Credential::Own);
  if (offer.error().code == Code::Unauthorized) refused_certificate_ = certificate_.text;
  if (offer.error().code == Code::Invalid) {
    refused_config_ = offer.error().message;
    refused_checksum_.clear();
  }
  return fail(offer.error());
}

Result<Offer> Agent::latest_offer() {
  const std::string name = facts_.secret.str();
  const auto news = clients_.news(Credential::Own, kube::resources::secrets(), secret_key(name), soon());
  if (!news) return fail(news.error().context("read Secret " + name));
  if (*news) offer_ = TRY(offer_in(**news));
  return *offer_;
}

Result<void> Agent::consider(const Offer& offer) {
  refused_config_.clear();
  const auto wanted = read_wanted(offer.text, machine_facts());
  if (!wanted) {
    refused_config_ = wanted.error().context("the configuration is refused").message;
    refused_checksum_ = offer.checksum;
    return fail(Code::Invalid, refused_config_);
  }
  const auto acceptance = accept(
      {.checksum = offer.checksum, .release = offer.release, .max_delay_seconds = wanted->max_delay_seconds},
      {.in_force = wanted_ ? wanted_->checksum : std::string_view(),
       .joined = joined_,
       .node = node_name_,
       .delay = state_.delay},
      now(), unit_interval(deps_.randomness.next()));
  round_.at = acceptance.at;
  State next = state_;
  next.delay = acceptance.delay;
  TRY(save(next));
  if (!acceptance.now) return {};
  return take_up(offer);
}

// From here on it is what stands on the machine, with or without a server.
Result<void> Agent::take_up(const Offer& offer) {
  TRY(write_own(root(), kConfigFile, offer.text, deps_.tools.own));
  deps_.tools.log.info("takes up a configuration", {{"checksum", offer.checksum}});
  TRY(look_at_config());
  joined_ = root().exists(places_.kubeconfig);
  missing_since_.reset();
  return {};
}

// An error is one of the checksum beside it: the provider counts it against that change alone.
std::string_view Agent::applied_or_tried() const {
  if (!refused_config_.empty() && !refused_checksum_.empty()) return refused_checksum_;
  return errors_.empty() || !wanted_ ? std::string_view(state_.applied) : wanted_->checksum;
}

// A request that came meanwhile is taken in the next round, which follows at once.
Result<void> Agent::send_report() {
  std::vector<std::string> errors = errors_;
  if (!refused_config_.empty()) errors.insert(errors.begin(), refused_config_);
  NodeMarks marks{.annotations = report(node_->annotations, applied_or_tried(), errors)};
  if (const auto result = update_result()) add_result(*result, marks);
  if (marks.empty()) return {};
  kube::Client* kubelet = TRY(client(Credential::Kubelet));
  TRY(mark_node(*kubelet, marks));
  if (node_->annotations.contains(api::bootstrap::annotation::kRestartServices)) round_.at = now();
  return {};
}

}  // namespace capstan::agent
