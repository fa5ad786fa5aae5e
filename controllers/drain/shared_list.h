// One list for several Nodes of a cluster that go together: what is on each of them. A list counts only for
// the Nodes that were asked about before it began; others wait for the next one. At most one list is under
// way at a time. Used by cluster_lists.h; safe from any thread, and blocks until the deadline at
// most.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/guarded.h"
#include "base/result.h"
#include "base/threads.h"
#include "controllers/drain/list_choice.h"

namespace capstan::controllers::drain {

template <typename T>
class SharedList {
 public:
  using Items = std::vector<T>;
  using ByNode = std::map<std::string, Result<Items>, std::less<>>;  // a Node that is not in it has none
  // Asks the server about these Nodes; its deadline is that of the one that asks for all of them.
  using Ask = std::function<Result<ByNode>(const std::set<std::string>& nodes, const Deadline& deadline)>;

  SharedList(const Clock& clock, Threads& threads) : clock_(clock), threads_(threads) {}

  Result<Items> on(const std::string& node, const Ask& ask, const Deadline& deadline) {
    const auto batch = join(node);
    for (;;) {
      const std::uint64_t seen = changed_.count();
      const Look look = look_at(*batch);
      if (look.answer) return of(*look.answer, node);
      if (look.leads) {
        if (auto failure = lead(batch, ask, deadline)) return fail(std::move(*failure));
        continue;
      }
      threads_.wait(changed_, seen, deadline.no_later_than(look.until));
      if (deadline.passed(clock_.steady_now())) return fail(give_up(deadline));
    }
  }

 private:
  using Answer = std::shared_ptr<const Result<ByNode>>;
  // The Nodes that one list is about.
  struct Batch {
    std::set<std::string> nodes = {};
    SteadyTime begins = {};
    Answer answer = {};
  };
  struct Inside {
    std::shared_ptr<Batch> gathering = {};  // which new ones join
    bool asking = false;
    std::string last_node = {};
    std::optional<SteadyTime> last_asked = {};
  };
  struct Look {
    Answer answer = {};
    bool leads = false;  // and has to ask for all of its batch
    SteadyTime until = SteadyTime::max();
  };

  std::shared_ptr<Batch> join(const std::string& node) {
    const SteadyTime now = clock_.steady_now();
    return inside_.with([&](Inside& inside) {
      const bool another =
          inside.last_asked && now - *inside.last_asked < kTogether && inside.last_node != node;
      inside.last_asked = now;
      inside.last_node = node;
      if (!inside.gathering) {
        inside.gathering = std::make_shared<Batch>();
        inside.gathering->begins = now + gathering_time(another);
      }
      inside.gathering->nodes.insert(node);
      return inside.gathering;
    });
  }

  Look look_at(Batch& batch) {
    const SteadyTime now = clock_.steady_now();
    return inside_.with([&](Inside& inside) -> Look {
      if (batch.answer) return {.answer = batch.answer};
      if (inside.asking) return {};
      if (now < batch.begins) return {.until = batch.begins};
      inside.asking = true;
      if (inside.gathering.get() == &batch) inside.gathering.reset();
      return {.leads = true};
    });
  }

  // What is the leader's own trouble, its time or the end of its process, is no answer: another one of the
  // batch leads then.
  std::optional<Error> lead(const std::shared_ptr<Batch>& batch, const Ask& ask, const Deadline& deadline) {
    const Asking asking(*this);
    auto found = ask(batch->nodes, deadline);
    if (!found && (found.error().code == Code::Cancelled || deadline.passed(clock_.steady_now())))
      return found.error();
    inside_.with([&](Inside&) { batch->answer = std::make_shared<const Result<ByNode>>(std::move(found)); });
    return std::nullopt;
  }

  // However the list ends, the next one may begin.
  class Asking {
   public:
    explicit Asking(SharedList& list) : list_(list) {}
    ~Asking() {
      list_.inside_.with([](Inside& inside) { inside.asking = false; });
      list_.changed_.notify();
    }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;

   private:
    SharedList& list_;
  };

  static Result<Items> of(const Result<ByNode>& answer, const std::string& node) {
    if (!answer) return fail(answer.error());
    const auto found = answer->find(node);
    return found == answer->end() ? Items() : found->second;
  }

  static Error give_up(const Deadline& deadline) {
    return {.code = deadline.stopped() ? Code::Cancelled : Code::Timeout,
            .message = "no answer to a list that several Nodes share"};
  }

  const Clock& clock_;
  Threads& threads_;
  Guarded<Inside> inside_;
  Signal changed_{"a shared list"};
};

}  // namespace capstan::controllers::drain
