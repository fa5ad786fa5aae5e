#include "kubeconfig/session.h"

#include <utility>

#include "kube/resources.h"

namespace capstan::kubeconfig {

Session::Session(const Seams& seams, std::string server, std::unique_ptr<kube::Client> wire, Hooks hooks)
    : server_(std::move(server)),
      hooks_(std::move(hooks)),
      cluster_(std::make_shared<ConnectedCluster>(std::move(wire), seams.threads, seams.clock, seams.gate)),
      watch_({.loop = seams.loop,
              .client = cluster_->wire(),
              .log = seams.log,
              .limits = seams.watches,
              .seed = seams.seed,
              .on_listed = hooks_.on_news,
              .on_trouble = [this](const Error& error) { note_trouble(error); }},
             {.resource = kube::resources::nodes()}, cluster_->store()) {
  cluster_->store().subscribe(hooks_.on_node);
}

Session::~Session() = default;

std::optional<Error> Session::trouble() const {
  return trouble_.with([](const auto& trouble) { return trouble; });
}

std::optional<SteadyTime> Session::heard() const {
  const std::optional<SteadyTime> answer = cluster_->gate().last_answer();
  const SteadyTime bytes = watch_.progress().last_received;
  if (bytes == SteadyTime::min()) return answer;
  return answer ? std::max(*answer, bytes) : bytes;
}

bool Session::take_refused() {
  const bool by_watch = trouble_.with([](auto& trouble) {
    const bool refused = trouble && trouble->code == Code::Unauthorized;
    if (refused) trouble.reset();
    return refused;
  });
  const bool by_call = gate().take_unauthorized();
  return by_watch || by_call;
}

// A watch that is too old is listed anew by itself: nothing to look at.
void Session::note_trouble(const Error& error) {
  if (error.code == Code::Gone) return;
  trouble_.with([&](auto& trouble) { trouble = error; });
  if (!listed() || error.code == Code::Unauthorized) hooks_.on_news();
}

}  // namespace capstan::kubeconfig
