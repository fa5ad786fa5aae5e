#include "base/log.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/duration.h"

namespace capstan {
namespace {

constexpr std::size_t kMaxValueBytes = 8192;  // a server's error page must not flood the log
constexpr int kDebugVerbosity = 4;            // as Cluster API's controllers use -v

// The length of the valid UTF-8 sequence at the front, 0 when there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const auto continues = [&](std::size_t i, unsigned low, unsigned high) {
    return i < text.size() && byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1, 0x80, 0xbf) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {  // no overlong forms, no surrogates
    const bool second = continues(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return second && continues(2, 0x80, 0xbf) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool second = continues(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return second && continues(2, 0x80, 0xbf) && continues(3, 0x80, 0xbf) ? 4 : 0;
  }
  return 0;
}

void append_escaped_byte(std::string& line, char c) {
  switch (c) {
    case '"': line += "\\\""; return;
    case '\\': line += "\\\\"; return;
    case '\n': line += "\\n"; return;
    case '\r': line += "\\r"; return;
    case '\t': line += "\\t"; return;
    default: break;
  }
  if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
    fmt::format_to(std::back_inserter(line), "\\u{:04x}", static_cast<unsigned>(c));
  } else {
    line += c;
  }
}

// The inside of a JSON string; bytes that are no UTF-8 become the replacement character.
void append_escaped(std::string& line, std::string_view text) {
  const bool cut = text.size() > kMaxValueBytes;
  std::string_view left = text.substr(0, kMaxValueBytes);
  while (!left.empty()) {
    const std::size_t length = sequence_length(left);
    if (length == 1) {
      append_escaped_byte(line, left.front());
    } else if (length == 0) {
      line += "\xef\xbf\xbd";
    } else {
      line += left.substr(0, length);
    }
    left.remove_prefix(std::max<std::size_t>(length, 1));
  }
  if (cut) fmt::format_to(std::back_inserter(line), "... ({} bytes)", text.size());
}

void append_quoted(std::string& line, std::string_view text) {
  line += '"';
  append_escaped(line, text);
  line += '"';
}

bool is_plain(std::string_view text) {
  const auto plain = [](char c) { return c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '='; };
  return !text.empty() && text.size() <= kMaxValueBytes && std::ranges::all_of(text, plain);
}

void append_string(std::string& line, std::string_view text, LogFormat format) {
  if (format == LogFormat::Text && is_plain(text)) {
    line += text;
  } else {
    append_quoted(line, text);
  }
}

void append_value(std::string& line, const LogValue& value, LogFormat format) {
  struct Appender {
    std::string& line;
    LogFormat format;
    void operator()(std::string_view text) const { append_string(line, text, format); }
    void operator()(const std::string& text) const { append_string(line, text, format); }
    void operator()(bool truth) const { line += truth ? "true" : "false"; }
    void operator()(double number) const {
      if (std::isfinite(number)) {
        fmt::format_to(std::back_inserter(line), "{}", number);
      } else {
        append_string(line, fmt::format("{}", number), format);  // JSON has no such number
      }
    }
    void operator()(std::int64_t number) const { fmt::format_to(std::back_inserter(line), "{}", number); }
    void operator()(std::uint64_t number) const { fmt::format_to(std::back_inserter(line), "{}", number); }
  };
  std::visit(Appender{line, format}, value.stored());
}

void append_fields(std::string& line, Log::Fields fields, LogFormat format) {
  for (const LogField& field : fields) {
    line += format == LogFormat::Json ? "," : " ";
    append_string(line, field.key, format);
    line += format == LogFormat::Json ? ":" : "=";
    append_value(line, field.value, format);
  }
}

std::string timestamp(WallTime now) {
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(std::chrono::floor<std::chrono::milliseconds>(now - day));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

struct LevelName {
  Level level;
  std::string_view lower;
  std::string_view column;
};

constexpr std::array<LevelName, 3> kLevels = {
    {{Level::Error, "error", "ERROR"}, {Level::Info, "info", "INFO "}, {Level::Debug, "debug", "DEBUG"}}};

const LevelName& name_of(Level level) { return kLevels.at(static_cast<std::size_t>(level)); }

}  // namespace

struct Log::Root {
  Root(LogSink& to, const Clock& with, LogOptions given) : sink(to), clock(with), options(std::move(given)) {}

  LogSink& sink;
  const Clock& clock;
  const LogOptions options;
  mutable std::atomic<Level> all = options.levels.all;

  std::optional<Level> own_level(std::string_view component) const {
    const auto own = options.levels.components.find(component);
    return own == options.levels.components.end() ? std::nullopt : std::optional(own->second);
  }
};

struct Log::Node {
  std::shared_ptr<const Root> root;
  std::string component = {};
  std::optional<Level> own_level = {};  // of the component, where it has one
  std::string pairs = {};               // ready to be appended to a line
};

Log::Log(LogSink& sink, const Clock& clock, LogOptions options) {
  auto root = std::make_shared<const Root>(sink, clock, std::move(options));
  node_ = std::make_shared<const Node>(Node{.root = std::move(root)});
}

bool Log::enabled(Level level) const {
  if (node_ == nullptr) return false;
  return level <= node_->own_level.value_or(node_->root->all.load(std::memory_order_relaxed));
}

void Log::set_level(Level all) const {
  if (node_ != nullptr) node_->root->all.store(all, std::memory_order_relaxed);
}

Log Log::with(Fields fields) const {
  if (node_ == nullptr) return {};
  auto child = std::make_shared<Node>(*node_);
  append_fields(child->pairs, fields, node_->root->options.format);
  return Log(std::move(child));
}

Log Log::component(std::string_view name) const {
  if (node_ == nullptr) return {};
  auto child = std::make_shared<Node>(*node_);
  child->component = name;
  child->own_level = node_->root->own_level(name);
  return Log(std::move(child));
}

void Log::write(Level level, std::string_view message, Fields fields) const {
  if (!enabled(level)) return;
  const LogFormat format = node_->root->options.format;
  std::string line;
  line.reserve(256);
  const std::string time = timestamp(node_->root->clock.now());
  if (format == LogFormat::Json) {
    fmt::format_to(std::back_inserter(line), R"({{"ts":"{}","level":"{}")", time, name_of(level).lower);
    if (!node_->component.empty()) append_fields(line, {{"component", node_->component}}, format);
    append_fields(line, {{"msg", message}}, format);
  } else {
    fmt::format_to(std::back_inserter(line), "{} {} ", time, name_of(level).column);
    if (!node_->component.empty()) fmt::format_to(std::back_inserter(line), "{}: ", node_->component);
    append_escaped(line, message);
  }
  line += node_->pairs;
  append_fields(line, fields, format);
  line += format == LogFormat::Json ? "}\n" : "\n";
  node_->root->sink.write(line);
}

LogValue::LogValue(DurationTag, Nanoseconds span) : stored_(format_duration(span)) {}

void DescriptorSink::write(std::string_view line) {
  while (!line.empty()) {
    const ssize_t written = ::write(descriptor_, line.data(), line.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the reader is gone: a log must never stop the work
    line.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace capstan
