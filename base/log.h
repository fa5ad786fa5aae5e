// Key-value log: log.info("machine created", {{"machine", key}, {"providerID", id}}). Messages are constant,
// facts are pairs. error = a human should look; info = the world changed; debug = why not. A child carries
// its pairs into every line: log.with({{"controller", "machine"}}). Cheap to copy, safe from any thread; a
// default Log writes nothing.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/result.h"

namespace capstan {

enum class Level { Error, Info, Debug };
enum class LogFormat { Text, Json };

struct LogLevels {
  Level all = Level::Info;
  std::map<std::string, Level, std::less<>> components = {};
};

// Receives whole lines, each ending in a line break, from any thread.
class LogSink {
 public:
  virtual ~LogSink() = default;
  virtual void write(std::string_view line) = 0;
};

// One write() per line, so that lines of several processes do not mix.
class DescriptorSink final : public LogSink {
 public:
  explicit DescriptorSink(int descriptor) : descriptor_(descriptor) {}
  void write(std::string_view line) override;

 private:
  int descriptor_;
};

// What may stand in a pair. Strings are not copied: it lives no longer than the statement that logs it.
class LogValue {
 public:
  using Stored = std::variant<std::string_view, std::string, std::int64_t, std::uint64_t, double, bool>;

  template <typename T>
    requires requires(const T& value) { std::string_view(value); }
  LogValue(const T& value) : stored_(std::string_view(value)) {}
  LogValue(bool value) : stored_(value) {}
  template <std::signed_integral T>
  LogValue(T value) : stored_(std::int64_t{value}) {}
  template <std::unsigned_integral T>
    requires(!std::same_as<T, bool>)
  LogValue(T value) : stored_(std::uint64_t{value}) {}
  LogValue(double value) : stored_(value) {}
  template <typename Rep, typename Period>
  LogValue(std::chrono::duration<Rep, Period> span)
      : LogValue(DurationTag(), std::chrono::duration_cast<Nanoseconds>(span)) {}
  // Keys and errors describe themselves, times and versions print themselves, enumerators have to_string.
  template <typename T>
    requires requires(const T& value) { value.describe(); }
  LogValue(const T& value) : stored_(std::string(value.describe())) {}
  template <typename T>
    requires requires(const T& value) { value.to_string(); }
  LogValue(const T& value) : stored_(std::string(value.to_string())) {}
  template <typename T>
    requires requires(const T& value) {
      { to_string(value) } -> std::same_as<std::string_view>;
    }
  LogValue(const T& value) : stored_(std::string_view(to_string(value))) {}

  const Stored& stored() const { return stored_; }

 private:
  struct DurationTag {};
  LogValue(DurationTag tag, Nanoseconds span);
  Stored stored_;
};

struct LogField {
  std::string_view key;
  LogValue value;
};

struct LogOptions {
  LogFormat format = LogFormat::Text;
  LogLevels levels = {};
};

class Log {
 public:
  using Fields = std::initializer_list<LogField>;

  Log() = default;
  // The root; sink and clock outlive it and its children.
  Log(LogSink& sink, const Clock& clock, LogOptions options = {});

  void error(std::string_view message, Fields fields = {}) const { write(Level::Error, message, fields); }
  void info(std::string_view message, Fields fields = {}) const { write(Level::Info, message, fields); }
  void debug(std::string_view message, Fields fields = {}) const { write(Level::Debug, message, fields); }
  bool enabled(Level level) const;

  Log with(Fields fields) const;               // a child with more pairs
  Log component(std::string_view name) const;  // a child with its own name and level
  // Of the root and all its children, from now on, but for components that have a level of their own.
  void set_level(Level all) const;

 private:
  struct Root;
  struct Node;
  explicit Log(std::shared_ptr<const Node> node) : node_(std::move(node)) {}
  void write(Level level, std::string_view message, Fields fields) const;

  std::shared_ptr<const Node> node_;
};

}  // namespace capstan
