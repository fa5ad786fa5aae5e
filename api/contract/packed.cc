#include "api/contract/packed.h"

#include <array>
#include <cassert>
#include <cstddef>

namespace capstan::api::contract {
namespace {

// Compact JSON has no bytes below this one, so they are free for us.
constexpr char kFirstOfJson = ' ';
constexpr char kEndOfLine = '\0';
constexpr char kFirstMark = 'A';

// What the objects of providers are made of: phrase n is the byte n + 1. Of two with the same beginning the
// longer stands first.
constexpr std::array<std::string_view, 24> kPhrases = {
    R"({"provisioned":true})",
    R"({"dataSecretCreated":true})",
    R"({"conditions":[)",
    R"([{"lastTransitionTime":")",
    R"("lastTransitionTime":")",
    R"("message":"")",
    R"("message":")",
    R"("observedGeneration":)",
    R"("reason":"Ready")",
    R"("reason":")",
    R"("severity":")",
    R"("status":"True")",
    R"("status":"False")",
    R"("status":"Unknown")",
    R"("type":"Ready"}])",
    R"("type":"Ready")",
    R"("type":"InternalIP")",
    R"("type":"ExternalIP")",
    R"("type":"InternalDNS")",
    R"("type":"ExternalDNS")",
    R"("type":"Hostname")",
    R"("type":")",
    R"({"address":")",
    R"("address":")",
};
static_assert(kPhrases.size() < static_cast<std::size_t>(kFirstOfJson));
static_assert([] {
  for (auto later = kPhrases.begin(); later != kPhrases.end(); ++later) {
    const auto hides = [&](std::string_view earlier) { return later->starts_with(earlier); };
    if (std::any_of(kPhrases.begin(), later, hides)) return false;
  }
  return true;
}());

std::string shortened(std::string_view json);
std::string spelled_out(std::string_view shortened);

// The line that comes first, without its end; it is taken off `packed`.
std::string_view take_line(std::string_view& packed) {
  const std::size_t end = packed.find(kEndOfLine);
  const std::string_view line = packed.substr(0, end);
  packed.remove_prefix(end + 1);
  return line;
}

std::size_t member_of(std::string_view line) { return static_cast<std::size_t>(line.front() - kFirstMark); }
RawJson value_of(std::string_view line) { return RawJson::from_compact(spelled_out(line.substr(1))); }

}  // namespace

std::string pack(std::span<const Member> members, const void* from) {
  std::string packed;
  char mark = kFirstMark;
  for (const Member& each : members) {
    const void* address = each.address(const_cast<void*>(from));  // NOLINT: read only
    const RawJson& value = *static_cast<const RawJson*>(address);
    if (!value.empty()) packed += mark + shortened(value.text()) + kEndOfLine;
    ++mark;
  }
  return packed;
}

RawJson packed_member(std::string_view packed, std::span<const Member> members, std::string_view name) {
  while (!packed.empty()) {
    const std::string_view line = take_line(packed);
    if (members[member_of(line)].name == name) return value_of(line);
  }
  return {};
}

namespace {

// Every phrase begins with one of these...
constexpr std::string_view kBeginnings = "\"{[";
// ... and goes on with one of these.
constexpr auto kGoOn = [] {
  std::array<bool, 256> go_on = {};
  for (const std::string_view phrase : kPhrases) go_on[static_cast<unsigned char>(phrase[1])] = true;
  return go_on;
}();

// How many of them there are when none begins here.
std::size_t phrase_at(std::string_view json) {
  if (json.size() < 2 || !kGoOn[static_cast<unsigned char>(json[1])]) return kPhrases.size();
  const auto begins = [&](std::string_view phrase) { return json.starts_with(phrase); };
  return static_cast<std::size_t>(std::ranges::find_if(kPhrases, begins) - kPhrases.begin());
}

std::string shortened(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  while (!json.empty()) {
    if (const std::size_t phrase = phrase_at(json); phrase < kPhrases.size()) {
      out += static_cast<char>(phrase + 1);
      json.remove_prefix(kPhrases[phrase].size());
      continue;
    }
    const std::string_view plain = json.substr(0, json.find_first_of(kBeginnings, 1));
    assert(std::ranges::all_of(plain, [](unsigned char each) { return each >= kFirstOfJson; }));
    out += plain;
    json.remove_prefix(plain.size());
  }
  return out;
}

std::string spelled_out(std::string_view shortened) {
  std::string out;
  out.reserve(4 * shortened.size());
  for (const char each : shortened) {
    if (static_cast<unsigned char>(each) < kFirstOfJson) {
      out += kPhrases[static_cast<std::size_t>(each) - 1];
    } else {
      out += each;
    }
  }
  return out;
}

}  // namespace
}  // namespace capstan::api::contract
