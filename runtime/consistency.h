// Read your own writes: what the caches still owe a key of one controller. The reconciler records what it
// wrote; the controller asks before the next turn of the key whether the caches have seen it. A create or
// delete is recorded before it is sent: when no answer comes, the key is held until a live read has said what
// became of it. Safe from any thread; one key is worked on by one worker at a time.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/meta/written.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/result.h"
#include "kube/client.h"
#include "runtime/observed.h"

namespace capstan::runtime {

struct ConsistencyOptions {
  // The longer a cache has been behind, the later we look again: who it concerns is woken by its news anyway.
  Nanoseconds recheck = std::chrono::milliseconds(100);
  Nanoseconds live_recheck = std::chrono::seconds(1);  // while only a live read can help
  Nanoseconds bound = std::chrono::seconds(30);  // after that the key may report, but not create or delete
  Nanoseconds overdue_recheck = std::chrono::seconds(5);
  Nanoseconds longest_recheck = std::chrono::seconds(60);
  Nanoseconds request_timeout = std::chrono::seconds(60);  // when a server has surely given up on a request
};

struct Freshness {
  enum class State {
    Fresh,
    Behind,   // come back in `again_in`
    Overdue,  // too long already: report, but create and delete nothing
  };
  State state = State::Fresh;
  Nanoseconds again_in = {};
  bool ask_live = false;       // resolve() could help
  std::string_view kind = {};  // of the cache that is behind
  std::string waits_for = {};  // for people
};

// What is about to be created or deleted for a key.
struct Child {
  const Observed& cache;  // lives longer than the Consistency
  kube::Resource resource = {};
  ObjectKey key = {};
};

class Consistency {
 public:
  explicit Consistency(const Clock& clock, ConsistencyOptions options = {});

  // --- for reconcilers ---
  // Creates `object`. Success also when it was there already and `owner` owns it; AlreadyExists when it is a
  // stranger's.
  Result<api::Written> create(kube::Client& client, const ObjectKey& key, const Child& child,
                              const api::Uid& owner, const boost::json::value& object,
                              const kube::WriteOptions& options, const Deadline& deadline);
  // The same by server-side apply, so that `field_manager` owns what it set and later applies can take fields
  // away again. It changes no object that has the name already.
  Result<api::Written> create_by_apply(kube::Client& client, const ObjectKey& key, const Child& child,
                                       const api::Uid& owner, const boost::json::value& object,
                                       std::string_view field_manager, const Deadline& deadline);
  // Deletes the object of that uid; success also when it is gone already.
  Result<void> remove(kube::Client& client, const ObjectKey& key, const Child& child, const api::Uid& uid,
                      kube::DeleteOptions options, const Deadline& deadline);
  // A patch came back with this version.
  void wrote(const ObjectKey& key, const Observed& cache, api::ResourceVersion version);
  // A patch took the last finalizer of the object under this key: it is gone, whatever the cache still says.
  void went(const ObjectKey& key, const Observed& cache, const api::Uid& uid);

  // --- for the controller ---
  Freshness check(const ObjectKey& key);
  // Reads live what became of requests without an answer. Afterwards check() again.
  void resolve(kube::Client& client, const ObjectKey& key, const Deadline& deadline);

  struct Debt {
    ObjectKey key = {};
    std::string waits_for = {};
  };
  std::vector<Debt> debts(std::size_t limit) const;  // for /debug, by name

 private:
  struct Version {
    const Observed* cache;
    std::uint64_t epoch;
    api::ResourceVersion version;
    SteadyTime since;
  };
  struct Removal {
    const Observed* cache;
    ObjectKey child;
    api::Uid uid;
    SteadyTime since;
    bool wholly = false;  // it is not enough that it is going
  };
  // Sent, and no answer yet, or ever.
  struct Question {
    bool creation;
    const Observed* cache;
    kube::Resource resource;
    ObjectKey child;
    api::Uid uid;  // of the owner or of the child to delete
    SteadyTime since;
  };
  struct Debts {
    std::vector<Version> versions = {};
    std::vector<Removal> removals = {};
    std::vector<Question> questions = {};
    bool empty() const { return versions.empty() && removals.empty() && questions.empty(); }
  };
  enum class Answer { Open, Done, Refused };

  template <typename Send>
  Result<api::Written> create_with(kube::Client& client, const ObjectKey& key, const Child& child,
                                   const api::Uid& owner, const Deadline& deadline, const Send& send);
  void ask(const ObjectKey& key, Question question);
  void settle(const ObjectKey& key, const Question& question, Answer answer, api::ResourceVersion version);
  static Result<api::Written> adopt_existing(kube::Client& client, const Child& child, const api::Uid& owner,
                                             const Error& refused, const Deadline& deadline);
  static void forget_paid(Debts& debts);
  Freshness judge(const Debts& debts, SteadyTime now) const;
  static std::string describe(const Debts& debts, std::optional<SteadyTime> now = {});

  const Clock& clock_;
  const ConsistencyOptions options_;
  Guarded<std::unordered_map<ObjectKey, Debts>> keys_;
};

}  // namespace capstan::runtime
