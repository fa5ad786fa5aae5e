// List and watch as a pure state machine: from what arrived it says what to do next and what the reader
// may believe. kube/watcher.h drives it; tests and the fuzzer drive it without sockets. One object per watch,
// one thread at a time.
//
//   Empty -> Listing (page by page) -> Watching (from a version, again and again)
//   410 anywhere, or a server that contradicts itself, leads back to Empty: everything is listed anew
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/backoff.h"
#include "base/error.h"

namespace capstan::kube {

// What the server must send: items of this kind, in lists called <kind>List.
struct WatchedKind {
  std::string api_version = {};
  std::string kind = {};
};

struct WatchLimits {
  std::int64_t page_size = 500;
  std::chrono::seconds shortest_watch =
      std::chrono::minutes(5);  // the server is asked to end a watch after a random
  std::chrono::seconds longest_watch =
      std::chrono::minutes(10);  // time in between, so that renewals spread out
  std::chrono::seconds silent_grace = std::chrono::seconds(5);  // beyond the server's own timeout
  std::chrono::seconds silent_list = std::chrono::seconds(65);
  Backoff backoff = {.initial = std::chrono::milliseconds(800), .cap = std::chrono::seconds(30), .jitter = 1};
  std::chrono::nanoseconds short_lived =
      std::chrono::seconds(1);     // a watch that ended sooner counts as failed
  int rewinds_believed_after = 3;  // so many lists older than what we saw: the server's history was set back
};

// --- what to do next ---
struct RequestPage {
  std::int64_t limit = 0;
  std::string continue_token = {};
  std::chrono::seconds silent_after = {};
};
struct RequestWatch {
  std::string version = {};
  std::chrono::seconds timeout = {};       // sent to the server
  std::chrono::seconds silent_after = {};  // no byte for so long: call on_silence()
};
struct WaitFor {
  std::chrono::nanoseconds span = {};
};
using Step = std::variant<WaitFor, RequestPage, RequestWatch>;

// --- what arrived ---
// What is read of every object before its type matters. Absent members are empty.
struct ArrivedObject {
  std::string_view api_version = {};
  std::string_view kind = {};
  std::string_view version = {};     // metadata.resourceVersion
  std::string_view unreadable = {};  // why the rest of it could not be decoded; empty when it could
};
struct ArrivedPage {
  std::string_view api_version = {};
  std::string_view kind = {};
  std::string_view version = {};
  std::string_view continue_token = {};
};
enum class EventType { Added, Modified, Deleted, Bookmark, Unknown };

// --- what the reader is called with ---
enum class Delivery {
  Nothing,
  Item,      // put this object into the side map
  InitDone,  // the side map is complete: swap
  Apply,
  Delete,
  Version,     // nothing changed, but everything up to this version has been seen
  Quarantine,  // don't believe this object; keep what you had
};
struct Verdict {
  Delivery delivery = Delivery::Nothing;
  bool init_start = false;    // before `delivery`: forget the side map, a list begins
  bool drop_stream = false;   // this response is over for us; ask next_step()
  bool rewound = false;       // with InitDone: the server's history was set back, older versions are right
  std::string_view why = {};  // with Quarantine
};

struct Empty {
  bool operator==(const Empty&) const = default;
};
struct Listing {
  std::string continue_token = {};
  std::string version = {};  // of the first page; the watch starts there
  bool operator==(const Listing&) const = default;
};
struct Watching {
  std::string version = {};
  bool operator==(const Watching&) const = default;
};
using WatchState = std::variant<Empty, Listing, Watching>;

class WatchProtocol {
 public:
  WatchProtocol(WatchedKind expected, WatchLimits limits, std::uint64_t seed);

  // The same answer until something arrives.
  const Step& next_step() const { return step_; }
  const WatchState& state() const { return state_; }
  // The version everything up to which has been handed over; empty before the first complete list.
  std::string_view version() const;
  // Why the last response was no good; absent while all is well.
  const std::optional<Error>& trouble() const { return trouble_; }
  std::uint64_t troubles() const { return troubles_; }  // so many so far

  // While a page is received: each item; and once the whole page is there, its own fields. Its end needs no
  // on_end().
  Verdict on_item(const ArrivedObject& item);
  Verdict on_page(const ArrivedPage& page);

  // While a watch is received. `lived`: since its request was sent.
  Verdict on_event(EventType type, const ArrivedObject& object);
  Verdict on_error_event(const Error& error,
                         std::chrono::nanoseconds lived);  // an ERROR line; 410 also comes this way

  // The request or the response failed: HTTP status, connection, a body that is no list at all.
  void on_failure(const Error& error, std::chrono::nanoseconds lived);
  // A watch ended as HTTP wants it to, or a list did before its page was complete.
  void on_end(std::chrono::nanoseconds lived);
  // No byte for as long as the step said.
  void on_silence();
  // The wait of next_step() is over.
  void on_waited();

 private:
  Verdict begin_if_first();
  bool is_foreign(std::string_view api_version, std::string_view kind, std::string_view suffix) const;
  Verdict refuse_page(std::string message);
  Verdict complete_list(std::string version);
  Verdict contradicted(std::string message);
  void advance(std::string_view version);
  void note_trouble(const Error& error);
  void note_life(std::chrono::nanoseconds lived);
  void fall_back(const Error& error);
  void pause_after(const Error& error);
  void go_on();
  std::uint64_t random();
  double fraction() { return static_cast<double>(random() >> 11U) * 0x1.0p-53; }

  WatchedKind expected_;
  WatchLimits limits_;
  std::uint64_t random_state_;
  WatchState state_ = Empty{};
  Step step_ = WaitFor{};
  std::optional<Error> trouble_;
  std::uint64_t troubles_ = 0;
  std::optional<std::uint64_t> newest_;  // the highest version ever handed over
  int failures_ = 0;                     // in a row, since the last complete list or watch that lived
  int relists_ = 0;                      // lists the server made necessary since the last watch that lived
  int rewinds_ = 0;                      // lists in a row that were older than newest_
  bool announced_ = false;               // init_start was called for the list being read
  bool in_one_piece_ = false;            // the last list expired halfway: the next one is not paged
};

}  // namespace capstan::kube
