// Any bytes as an object, a list and a watch event: decoding never crashes, does not depend on where chunks
// are cut, and what it accepts survives a round trip.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "api/schema/decode.h"
#include "api/schema/encode.h"
#include "api/schema/sample_types.h"

namespace capstan::api {
namespace {

Result<Sample> in_two_chunks(std::string_view text, std::size_t cut) {
  Decoder<Sample> decoder;
  if (auto fed = decoder.feed(text.substr(0, cut)); !fed) return Failure(fed.error());
  if (auto fed = decoder.feed(text.substr(cut)); !fed) return Failure(fed.error());
  return decoder.finish();
}

void as_object(std::string_view text, std::size_t cut) {
  const auto whole = decode<Sample>(text);
  const auto pieces = in_two_chunks(text, cut);
  if (whole.has_value() != pieces.has_value()) std::abort();
  if (!whole) return;
  if (*whole != *pieces) std::abort();
  const auto again = decode<Sample>(encode(*whole));
  if (!again || encode(*again) != encode(*whole)) std::abort();
}

struct Seen {
  int items = 0;
  int bad = 0;
  bool ended = false;
  bool operator==(const Seen&) const = default;
};

Seen as_list(std::string_view text, std::size_t cut) {
  Seen seen;
  ListDecoder<Sample> decoder([&](Sample&&) { ++seen.items; }, [&](Quarantined&&) { ++seen.bad; });
  const bool fed = decoder.feed(text.substr(0, cut)) && decoder.feed(text.substr(cut));
  seen.ended = fed && decoder.finish();
  return seen;
}

// The decoder has to be good for the next event whatever this one was.
void as_event(std::string_view text, std::size_t cut) {
  WatchEventDecoder<Sample> decoder;
  const bool fed = decoder.feed(text.substr(0, cut)) && decoder.feed(text.substr(cut));
  const auto event = decoder.finish();
  if (!fed && event) std::abort();
  const bool next = decoder.feed(R"({"type":"ADDED","object":{"metadata":{"name":"a"}}})").has_value();
  const auto after = decoder.finish();
  if (!next || !after || !after->object || after->object->metadata.name != "a") std::abort();
}

}  // namespace
}  // namespace capstan::api

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(bytes) + 1, size - 1);
  const std::size_t cut = bytes[0] % (text.size() + 1);
  capstan::api::as_object(text, cut);
  if (capstan::api::as_list(text, 0) != capstan::api::as_list(text, cut)) std::abort();
  capstan::api::as_event(text, cut);
  return 0;
}
