#include "kube/watch_protocol.h"

#include <algorithm>
#include <utility>

#include "kube/version_number.h"

namespace capstan::kube {
namespace {

constexpr std::string_view kNoVersion = "no metadata.resourceVersion";

bool is_before(std::string_view version, std::optional<std::uint64_t> other) {
  const auto number = version_number(version);
  return number && other && *number < *other;
}

Verdict quarantined(std::string_view why) { return {.delivery = Delivery::Quarantine, .why = why}; }

}  // namespace

WatchProtocol::WatchProtocol(WatchedKind expected, WatchLimits limits, std::uint64_t seed)
    : expected_(std::move(expected)), limits_(limits), random_state_(seed) {
  go_on();
}

std::string_view WatchProtocol::version() const {
  const auto* watching = std::get_if<Watching>(&state_);
  return watching == nullptr ? std::string_view() : std::string_view(watching->version);
}

// --- pages ---

Verdict WatchProtocol::on_item(const ArrivedObject& item) {
  if (std::holds_alternative<Watching>(state_)) return {};
  Verdict verdict = begin_if_first();
  verdict.delivery = Delivery::Item;
  verdict.why = item.unreadable;
  if (is_foreign(item.api_version, item.kind, "")) verdict.why = "another kind than the one listed";
  if (verdict.why.empty() && item.version.empty()) verdict.why = kNoVersion;
  if (!verdict.why.empty()) verdict.delivery = Delivery::Quarantine;
  return verdict;
}

Verdict WatchProtocol::on_page(const ArrivedPage& page) {
  if (std::holds_alternative<Watching>(state_)) return {};
  if (page.kind.empty() || is_foreign(page.api_version, page.kind, "List")) {
    return refuse_page("expected a " + expected_.kind + "List of " + expected_.api_version +
                       ", got something else");
  }
  if (page.version.empty()) return refuse_page(expected_.kind + "List without metadata.resourceVersion");

  const auto* listing = std::get_if<Listing>(&state_);
  if (listing != nullptr && page.continue_token == listing->continue_token) {
    return refuse_page(expected_.kind + "List continues with the token of its own page");
  }
  std::string version = listing == nullptr ? std::string(page.version) : listing->version;
  if (listing == nullptr && is_before(version, newest_) && ++rewinds_ < limits_.rewinds_believed_after) {
    return refuse_page(expected_.kind + "List went back to version " + version + " after " +
                       std::to_string(*newest_));
  }
  if (page.continue_token.empty()) return complete_list(std::move(version));
  const Verdict verdict = begin_if_first();
  state_ = Listing{.continue_token = std::string(page.continue_token), .version = std::move(version)};
  go_on();
  return verdict;
}

Verdict WatchProtocol::begin_if_first() { return {.init_start = !std::exchange(announced_, true)}; }

bool WatchProtocol::is_foreign(std::string_view api_version, std::string_view kind,
                               std::string_view suffix) const {
  if (!api_version.empty() && api_version != expected_.api_version) return true;
  if (kind.empty()) return false;  // items of built-in lists don't repeat it
  return !kind.starts_with(expected_.kind) || kind.substr(expected_.kind.size()) != suffix;
}

Verdict WatchProtocol::refuse_page(std::string message) {
  state_ = Empty{};
  pause_after({.code = Code::Invalid, .message = std::move(message)});
  return {.drop_stream = true};
}

Verdict WatchProtocol::complete_list(std::string version) {
  Verdict verdict = begin_if_first();
  verdict.delivery = Delivery::InitDone;
  verdict.rewound = is_before(version, newest_);
  newest_ = version_number(version);
  announced_ = in_one_piece_ = false;
  failures_ = rewinds_ = 0;
  trouble_.reset();
  state_ = Watching{.version = std::move(version)};
  go_on();
  return verdict;
}

// --- events ---

Verdict WatchProtocol::on_event(EventType type, const ArrivedObject& object) {
  const auto* watching = std::get_if<Watching>(&state_);
  if (watching == nullptr) return {};
  if (type == EventType::Unknown) return quarantined("unknown type of event");
  if (is_foreign(object.api_version, object.kind, ""))
    return quarantined("another kind than the one watched");
  if (object.version.empty()) return quarantined(object.unreadable.empty() ? kNoVersion : object.unreadable);

  // Older servers send a deletion with the version of the object's last change.
  const bool goes_back = is_before(object.version, version_number(watching->version));
  if (goes_back && type != EventType::Deleted) {
    return contradicted("watch of " + expected_.kind + " went back to version " +
                        std::string(object.version) + " after " + watching->version);
  }
  trouble_.reset();
  if (!goes_back) advance(object.version);
  if (!object.unreadable.empty()) return quarantined(object.unreadable);
  if (type == EventType::Bookmark) return {.delivery = Delivery::Version};
  return {.delivery = type == EventType::Deleted ? Delivery::Delete : Delivery::Apply};
}

Verdict WatchProtocol::on_error_event(const Error& error, std::chrono::nanoseconds lived) {
  if (!std::holds_alternative<Watching>(state_)) return {};
  on_failure(error, lived);
  return {.drop_stream = true};
}

// A server that lies is asked for everything anew, but not in a hurry.
Verdict WatchProtocol::contradicted(std::string message) {
  state_ = Empty{};
  ++relists_;
  pause_after({.code = Code::Invalid, .message = std::move(message)});
  return {.drop_stream = true};
}

void WatchProtocol::advance(std::string_view version) {
  auto& watching = std::get<Watching>(state_);
  watching.version.assign(version);
  const auto number = version_number(version);
  if (number && (!newest_ || *number > *newest_)) newest_ = number;
  // What next_step() says when this response ends, whatever the reason: resume here.
  if (auto* request = std::get_if<RequestWatch>(&step_)) request->version = watching.version;
}

// --- ends ---

void WatchProtocol::on_failure(const Error& error, std::chrono::nanoseconds lived) {
  note_life(lived);
  fall_back(error);
}

void WatchProtocol::on_end(std::chrono::nanoseconds lived) {
  if (!std::holds_alternative<Watching>(state_)) {
    return pause_after(
        {.code = Code::Unavailable, .message = "the list of " + expected_.kind + " ended in the middle"});
  }
  if (lived < limits_.short_lived) {
    return pause_after(
        {.code = Code::Unavailable, .message = "the watch of " + expected_.kind + " ended at once"});
  }
  note_life(lived);
  trouble_.reset();
  go_on();
}

void WatchProtocol::on_silence() {
  note_life(limits_.short_lived);
  pause_after({.code = Code::Timeout, .message = "the response with " + expected_.kind + " fell silent"});
}

void WatchProtocol::on_waited() {
  if (std::holds_alternative<WaitFor>(step_)) go_on();
}

void WatchProtocol::note_life(std::chrono::nanoseconds lived) {
  if (std::holds_alternative<Watching>(state_) && lived >= limits_.short_lived) failures_ = relists_ = 0;
}

// Where to go on after an error: from the same place, unless the place itself is what the server refused.
void WatchProtocol::fall_back(const Error& error) {
  const bool expired = error.code == Code::Gone;
  if (expired && std::holds_alternative<Listing>(state_)) in_one_piece_ = true;
  if (expired || error.code == Code::Invalid || error.code == Code::NotFound) state_ = Empty{};
  if (!expired || relists_++ > 0) return pause_after(error);
  note_trouble(error);  // ordinary after a long cut; only a second time in a row is a reason to wait
  announced_ = false;
  go_on();
}

void WatchProtocol::note_trouble(const Error& error) {
  trouble_ = error;
  ++troubles_;
}

void WatchProtocol::pause_after(const Error& error) {
  note_trouble(error);
  if (std::holds_alternative<Empty>(state_)) announced_ = false;
  ++failures_;
  const auto span = limits_.backoff.delay(std::max(failures_, relists_), fraction());
  step_ = WaitFor{
      .span = std::max<std::chrono::nanoseconds>(span, error.retry_after.value_or(std::chrono::seconds(0)))};
}

void WatchProtocol::go_on() {
  if (const auto* watching = std::get_if<Watching>(&state_)) {
    const auto spread =
        static_cast<std::uint64_t>((limits_.longest_watch - limits_.shortest_watch).count()) + 1;
    const auto timeout = limits_.shortest_watch + std::chrono::seconds(random() % spread);
    step_ = RequestWatch{
        .version = watching->version, .timeout = timeout, .silent_after = timeout + limits_.silent_grace};
    return;
  }
  const auto* listing = std::get_if<Listing>(&state_);
  step_ = RequestPage{.limit = in_one_piece_ ? 0 : limits_.page_size,
                      .continue_token = listing == nullptr ? std::string() : listing->continue_token,
                      .silent_after = limits_.silent_list};
}

// splitmix64: small, seeded, the same everywhere.
std::uint64_t WatchProtocol::random() {
  random_state_ += 0x9E3779B97F4A7C15ULL;
  std::uint64_t mixed = random_state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xBF58476D1CE4E5B9ULL;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94D049BB133111EBULL;
  return mixed ^ (mixed >> 31U);
}

}  // namespace capstan::kube
