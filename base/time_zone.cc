#include "base/time_zone.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace capstan {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kHeader = 44;
constexpr std::size_t kTypeSize = 6;
constexpr std::string_view kMagic = "TZif";

Failure no_zone_file() { return fail(Code::Invalid, "is no time zone file of version 2 or later"); }

std::int64_t big_endian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (const char c : bytes) value = value << 8U | static_cast<unsigned char>(c);
  return bytes.size() == 4 ? static_cast<std::int32_t>(value) : static_cast<std::int64_t>(value);
}

// How much of what stands in a block, in the order of its header.
struct BlockSizes {
  std::size_t universal = 0;
  std::size_t standard = 0;
  std::size_t leaps = 0;
  std::size_t times = 0;
  std::size_t types = 0;
  std::size_t characters = 0;

  std::size_t bytes(std::size_t time_size) const {
    return times * (time_size + 1) + types * kTypeSize + characters + leaps * (time_size + 4) + standard +
           universal;
  }
};

std::optional<BlockSizes> take_header(std::string_view& bytes) {
  if (bytes.size() < kHeader || !bytes.starts_with(kMagic) || bytes[4] < '2') return {};
  BlockSizes sizes;
  std::size_t at = 20;
  for (std::size_t* size :
       {&sizes.universal, &sizes.standard, &sizes.leaps, &sizes.times, &sizes.types, &sizes.characters}) {
    const std::int64_t number = big_endian(bytes.substr(at, 4));
    if (number < 0 || number > 1'000'000) return {};
    *size = static_cast<std::size_t>(number);
    at += 4;
  }
  bytes.remove_prefix(kHeader);
  return sizes;
}

std::int64_t seconds_of(LocalTime time) { return time.time_since_epoch().count(); }

}  // namespace

// The first block has times of four bytes, for old readers.
Result<TimeZone> TimeZone::parse(std::string_view bytes) {
  const auto old = take_header(bytes);
  if (!old || bytes.size() < old->bytes(4)) return no_zone_file();
  bytes.remove_prefix(old->bytes(4));
  const auto sizes = take_header(bytes);
  if (!sizes || sizes->types == 0 || bytes.size() < sizes->bytes(8)) return no_zone_file();
  const auto types = bytes.substr(sizes->times * 9);
  const auto offset_of = [&](std::size_t type) {
    return Seconds(big_endian(types.substr(type * kTypeSize, 4)));
  };
  TimeZone zone;
  zone.first_ = offset_of(0);
  for (std::size_t i = 0; i < sizes->times; ++i) {
    const auto type = static_cast<unsigned char>(bytes[sizes->times * 8 + i]);
    if (type >= sizes->types) return no_zone_file();
    zone.changes_.push_back({.at = big_endian(bytes.substr(i * 8, 8)), .offset = offset_of(type)});
  }
  auto rule = bytes.substr(sizes->bytes(8));
  if (rule.size() > 2 && rule.front() == '\n')
    zone.later_ = PosixZone::parse(rule.substr(1, rule.find('\n', 1) - 1));
  return zone;
}

Seconds TimeZone::offset_at(std::int64_t unix_seconds) const {
  const auto next = std::ranges::upper_bound(changes_, unix_seconds, {}, &Change::at);
  if (next == changes_.end() && later_) return later_->offset_at(unix_seconds);
  return next == changes_.begin() ? first_ : std::prev(next)->offset;
}

LocalTime TimeZone::local(Time moment) const {
  return LocalTime(Seconds(moment.unix_seconds()) + offset_at(moment.unix_seconds()));
}

Time TimeZone::moment(LocalTime time) const {
  constexpr std::int64_t kDay = 86400;
  const std::int64_t shown = seconds_of(time);
  const std::int64_t before = shown - offset_at(shown - kDay).count();
  const std::int64_t after = shown - offset_at(shown + kDay).count();
  const auto shows = [&](std::int64_t at) { return at + offset_at(at).count() == shown; };
  if (shows(before)) return Time::from_unix(before);
  if (shows(after)) return Time::from_unix(after);
  // It is left out: the clock still shows less at `early`, and more at `late`.
  std::int64_t early = std::min(before, after) - 1;
  std::int64_t late = std::max(before, after);
  while (late - early > 1) {
    const std::int64_t middle = early + (late - early) / 2;
    (middle + offset_at(middle).count() < shown ? early : late) = middle;
  }
  return Time::from_unix(late);
}

std::optional<Time> next_moment(const Cron& cron, const TimeZone& zone, Time after) {
  for (auto local = cron.next(zone.local(after)); local; local = cron.next(*local))
    if (const Time found = zone.moment(*local); found > after) return found;
  return {};
}

}  // namespace capstan
