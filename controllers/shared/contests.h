// Labels, annotations, taints and owner references that a controller and another writer set to different
// values, again and again. The first two writes within a minute are ordinary; before the third of the same
// value the controller waits until a minute has passed since its last one, and says on its object who writes
// over it. Sizes, finalizers, cordons, health marks, status and deletions are never held up: a controller
// names the disputable fields only. One per controller, in its memory: a restart begins to count anew.
// Bounded. Safe from any thread.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/condition.h"
#include "api/meta/object_meta.h"
#include "api/names.h"
#include "base/clock.h"
#include "base/deadline.h"
#include "base/guarded.h"
#include "base/time.h"
#include "controllers/shared/deps.h"
#include "kube/typed.h"
#include "runtime/note.h"
#include "runtime/reconcile.h"

namespace capstan::controllers {

// What a write would change of one object: field path to the value it would get; an empty value takes it
// away.
using DisputedFields = std::map<std::string, std::string, std::less<>>;

// "metadata.labels[zone]", and so on: what of the metadata differs, owner references as one field.
DisputedFields disputed_fields(const api::ObjectMeta& before, const api::ObjectMeta& wanted);
// The same for the labels and annotations of a document that is about to be applied.
DisputedFields disputed_by_intent(const api::ObjectMeta& before, const boost::json::value& intent);
std::string disputed_key(std::string_view map,
                         std::string_view key);  // "metadata.labels", "zone" -> the path

// One field of one object, for conditions and Events.
struct Contest {
  std::string object = {};   // "DockerMachine default/m1"
  std::string field = {};    // "metadata.labels[zone]"
  std::string manager = {};  // the field manager that has it now; empty: not known
  Time since = {};           // of the first of our writes of this value
  bool operator==(const Contest&) const = default;
};
// A line per contest, in a stable order, with the remedy; empty when there is none.
std::string describe(const std::vector<Contest>& contests);

// Who has the field by metadata.managedFields of a whole object; of a field that is not there the last
// writer. Empty: nothing is known.
std::string field_manager_of(const boost::json::value& object, std::string_view field);

class Contests {
 public:
  struct Limits {
    Nanoseconds span = std::chrono::minutes(1);
    std::size_t free_writes = 2;     // of one value within the span
    std::size_t most_fields = 1024;  // remembered; the longest unused are forgotten first
  };
  Contests();
  explicit Contests(const Limits& limits);

  // Whether `writer` may write these fields of `object` now. False: one of them is contested, look again
  // after `next(writer)`. Reads the object's managedFields, once per contest.
  struct Target {
    kube::Client& client;
    const kube::Resource& resource;
    const kube::ObjectKey& key;
  };
  bool may_write(const kube::ObjectKey& writer, const Target& target, const DisputedFields& fields,
                 const Clock& clock, const Deadline& deadline);
  // The write went out and was accepted.
  void wrote(const kube::ObjectKey& writer, const Target& target, const DisputedFields& fields,
             const Clock& clock);

  // Those of `writer` that were wanted during the last two spans, by object and field.
  std::vector<Contest> of(const kube::ObjectKey& writer, const Clock& clock) const;
  // When to look again: for the next write of a contested field, or to say that a contest is over.
  std::optional<Nanoseconds> next(const kube::ObjectKey& writer, const Clock& clock) const;
  // Whether one of `writer` has begun since this was asked last: for an Event.
  bool has_news(const kube::ObjectKey& writer);
  void forget(const kube::ObjectKey& writer);
  std::size_t size() const;

 private:
  struct Field {
    kube::ObjectKey writer = {};
    std::string object = {};
    std::string path = {};
    auto operator<=>(const Field&) const = default;
  };
  struct History {
    std::string value = {};
    std::vector<SteadyTime> writes = {};  // the last few: a deque would take half a KB
    SteadyTime wanted = {};               // when it was asked for last
    Time first = {};
    bool contested = false;
    bool reported = false;
    std::string manager = {};
  };
  using Histories = std::map<Field, History>;

  bool is_over(const History& history, SteadyTime now) const;
  bool is_free(const History& history, SteadyTime now) const;
  void make_room(Histories& histories, SteadyTime now) const;

  const Limits limits_;
  Guarded<Histories> histories_ = {};
};

// Puts the condition Contested onto an object while there are contests, and takes it away when there are
// none.
void show_contests(api::Conditions& conditions, const std::vector<Contest>& contests, std::int64_t generation,
                   Time now);

// At the end of a turn: condition and Event of the object that the turn was about. Comes back for the next
// write, or to say that it is over.
template <kube::Kind T>
runtime::Outcome report_contests(Contests& contests, const Deps& deps, const T& before, T& after) {
  const auto key = kube::key_of(before);
  const auto present = contests.of(key, deps.clock);
  show_contests(after.status.conditions, present, after.metadata.generation, Time::from(deps.clock.now()));
  if (!present.empty() && contests.has_news(key)) {
    runtime::record_note(deps.events, runtime::reference_to(kube::resource_of<T>(), before.metadata),
                         {.code = api::NoteCode::OverwrittenByAnother, .text = describe(present)});
  }
  const auto next = contests.next(key, deps.clock);
  return next ? runtime::Outcome::after(*next) : runtime::Outcome::done();
}

}  // namespace capstan::controllers
