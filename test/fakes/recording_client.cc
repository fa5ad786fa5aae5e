#include "test/fakes/recording_client.h"

#include <fmt/format.h>

#include <algorithm>

namespace capstan::fakes {
namespace {

std::string_view verb_of(const Asked& asked) {
  switch (asked.call) {
    case Call::Read: return asked.key.name.empty() ? "list" : "get";
    case Call::Create: return "create";
    case Call::Replace: return "replace";
    case Call::Patch: return "patch";
    case Call::Remove: return "delete";
    case Call::Evict: return "evict";
    case Call::Post: return "post";
    case Call::ListStream: return "list-stream";
    case Call::Watch:
    case Call::Piece: return "watch";
  }
  return "get";
}

bool is_streamed(const RecordedRequest& request) {
  return request.call == Call::ListStream || request.call == Call::Watch;
}

RecordedRequest kept(const Asked& asked) {
  RecordedRequest request{.call = asked.call,
                          .verb = std::string(verb_of(asked)),
                          .plural = asked.resource == nullptr ? std::string() : asked.resource->plural,
                          .key = asked.key,
                          .subresource = asked.subresource};
  if (asked.body != nullptr) request.body = *asked.body;
  if (asked.deletion != nullptr) request.deletion = *asked.deletion;
  return request;
}

std::vector<std::string> descriptions(const std::vector<RecordedRequest>& requests) {
  std::vector<std::string> lines;
  for (const RecordedRequest& request : requests) lines.push_back(request.describe());
  return lines;
}

}  // namespace

std::string RecordedRequest::describe() const {
  std::string text = verb;
  if (!plural.empty() && call != Call::Evict) text += " " + plural;
  if (!subresource.empty()) text += "/" + subresource;
  if (!key.name.empty()) text += " " + key.name;
  return text;
}

bool RecordedRequest::is(std::string_view words) const {
  const std::string text = describe();
  return text.starts_with(words) && (text.size() == words.size() || text[words.size()] == ' ');
}

std::vector<RecordedRequest> RecordingClient::requests() const {
  std::vector<RecordedRequest> all = requests_.with([](const auto& requests) { return requests; });
  std::erase_if(all, is_streamed);
  return all;
}

std::vector<RecordedRequest> RecordingClient::writes() const {
  std::vector<RecordedRequest> all = requests();
  std::erase_if(all, [](const RecordedRequest& request) { return !is_write(request.call); });
  return all;
}

std::vector<std::string> RecordingClient::described() const { return descriptions(requests()); }

std::vector<std::string> RecordingClient::described_writes() const { return descriptions(writes()); }

std::vector<std::string> RecordingClient::take() {
  std::vector<RecordedRequest> taken =
      requests_.with([](auto& requests) { return std::exchange(requests, {}); });
  std::erase_if(taken, is_streamed);
  return descriptions(taken);
}

int RecordingClient::count(std::string_view words) const {
  return requests_.with([&](const auto& requests) {
    return static_cast<int>(
        std::ranges::count_if(requests, [&](const RecordedRequest& request) { return request.is(words); }));
  });
}

int RecordingClient::reads() const {
  const std::vector<RecordedRequest> all = requests();
  return static_cast<int>(std::ranges::count(all, Call::Read, &RecordedRequest::call));
}

void RecordingClient::forget() {
  requests_.with([](auto& requests) { requests.clear(); });
}

void RecordingClient::refuse(std::string words, Error error) {
  refusals_.with(
      [&](auto& refusals) { refusals.push_back({.words = std::move(words), .error = std::move(error)}); });
}

void RecordingClient::refuse_next(std::string words, Error error) {
  refusals_.with([&](auto& refusals) {
    refusals.push_back({.words = std::move(words), .error = std::move(error), .once = true});
  });
}

void RecordingClient::allow() {
  refusals_.with([](auto& refusals) { refusals.clear(); });
}

std::optional<Error> RecordingClient::sending(const Asked& asked) {
  const RecordedRequest request = kept(asked);
  requests_.with([&](auto& requests) { requests.push_back(request); });
  if (before && !is_streamed(request)) {
    if (auto error = before(request)) return error;
  }
  return refusal_of(request);
}

std::optional<Error> RecordingClient::refusal_of(const RecordedRequest& request) {
  return refusals_.with([&](auto& refusals) -> std::optional<Error> {
    const auto found =
        std::ranges::find_if(refusals, [&](const Refusal& refusal) { return request.is(refusal.words); });
    if (found == refusals.end()) return {};
    const Error error = found->error;
    if (found->once) refusals.erase(found);
    return error;
  });
}

// Counts itself for as long as its reader holds it.
class RecordingClient::OpenWatch final : public kube::Stream {
 public:
  OpenWatch(std::unique_ptr<kube::Stream> stream, std::shared_ptr<Guarded<int>> open)
      : stream_(std::move(stream)), open_(std::move(open)) {
    open_->with([](int& open_watches) { ++open_watches; });
  }
  ~OpenWatch() override {
    open_->with([](int& open_watches) { --open_watches; });
  }

 private:
  const std::unique_ptr<kube::Stream> stream_;
  const std::shared_ptr<Guarded<int>> open_;
};

int RecordingClient::open_watches() const {
  return open_watches_->with([](const int& open) { return open; });
}

std::unique_ptr<kube::Stream> RecordingClient::watch(const kube::Resource& resource,
                                                     const kube::WatchOptions& options,
                                                     kube::StreamSink& sink) {
  return std::make_unique<OpenWatch>(RelayClient::watch(resource, options, sink), open_watches_);
}

}  // namespace capstan::fakes
