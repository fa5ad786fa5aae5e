#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "test/lint/rules.h"

namespace capstan::lint {
namespace {

enum class Tests { Too, Free };

struct Banned {
  std::string_view rule;
  std::string_view word;
  std::string_view instead;
  Tests tests;
  std::array<std::string_view, 2> homes = {};  // beginnings of the paths that may
};

constexpr std::string_view kNoCoroutines =
    "the compiler miscompiles coroutines: callbacks on a strand, or block";
constexpr std::string_view kNoSleep =
    "wait for a condition with a deadline (Threads::wait_until, Threads::pause)";
constexpr std::string_view kClock = "take a Clock (base/clock.h) or let `now` arrive as a value";
constexpr std::string_view kLocks = "shared state is Guarded<T>, waiting is Threads::wait";
constexpr std::string_view kThreads =
    "start threads through Threads (base/threads.h), or simulations can't see them";
constexpr std::string_view kNote = "record_note (runtime/note.h): its code is from the list in api/notes.h";
constexpr std::string_view kPlain = "say what it does: record, show, report, send, remove, stop waiting";
constexpr std::string_view kChance = "chance is injected (base/randomness.h)";

constexpr std::array kBanned = {
    Banned{"no-coroutines", "co_await", kNoCoroutines, Tests::Too},
    Banned{"no-coroutines", "co_return", kNoCoroutines, Tests::Too},
    Banned{"no-coroutines", "co_yield", kNoCoroutines, Tests::Too},
    Banned{"no-coroutines", "co_spawn", kNoCoroutines, Tests::Too},
    Banned{"no-coroutines", "asio::spawn", kNoCoroutines, Tests::Too},
    Banned{"no-sleep", "sleep_for", kNoSleep, Tests::Too},
    Banned{"no-sleep", "sleep_until", kNoSleep, Tests::Too},
    Banned{"no-sleep", "usleep", kNoSleep, Tests::Too},
    Banned{"no-sleep", "nanosleep", kNoSleep, Tests::Too},
    Banned{"no-sleep", "::sleep(", kNoSleep, Tests::Too},
    Banned{"one-clock", "system_clock::now", kClock, Tests::Too, {"base/clock.cc"}},
    Banned{"one-clock", "steady_clock::now", kClock, Tests::Too, {"base/clock.cc"}},
    Banned{"one-clock", "high_resolution_clock", kClock, Tests::Too},
    Banned{"guarded", "std::mutex", kLocks, Tests::Too, {"base/guarded.h", "base/threads."}},
    Banned{"guarded", "std::shared_mutex", kLocks, Tests::Too},
    Banned{"guarded", "std::recursive_mutex", kLocks, Tests::Too},
    Banned{"guarded", "std::timed_mutex", kLocks, Tests::Too},
    Banned{"guarded", "std::condition_variable", kLocks, Tests::Too, {"base/threads."}},
    Banned{"guarded", "std::condition_variable_any", kLocks, Tests::Too, {"base/threads."}},
    Banned{"guarded", "volatile", kLocks, Tests::Too},
    Banned{"threads", "std::jthread", kThreads, Tests::Free, {"base/threads."}},
    Banned{"threads", "std::thread", kThreads, Tests::Free, {"base/threads."}},
    Banned{"threads", "std::async", kThreads, Tests::Free},
    Banned{"threads", "detach()", "a thread has an owner who joins it", Tests::Too},
    Banned{"chance", "std::random_device", kChance, Tests::Too, {"base/randomness.cc"}},
    Banned{"chance", "std::mt19937", kChance, Tests::Free},
    Banned{"chance", "std::mt19937_64", kChance, Tests::Free},
    Banned{"exceptions",
           "catch (...)",
           "only the worker boundary catches everything",
           Tests::Free,
           {"runtime/controller.cc"}},
    Banned{"notes", "events.record(", kNote, Tests::Free, {"runtime/note.cc"}},
    Banned{"notes", "events_.record(", kNote, Tests::Free},
    Banned{"plain-words", "tell(", kPlain, Tests::Free},
    Banned{
        "plain-words", "leave(", kPlain, Tests::Free, {"kubeconfig/gated_client.", "apiserver/http/body.cc"}},
    Banned{"macros", "#define", "write a function or a constant", Tests::Free, {"base/try.h"}},
};

bool is_letter(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// A whole word: "steady_clock::now" is found in "std::chrono::steady_clock::now()", "sleep(" not in
// "asleep(".
bool is_whole_word(std::string_view code, std::size_t at, std::string_view word) {
  const bool begins = at == 0 || !is_letter(word.front()) || !is_letter(code[at - 1]);
  const std::size_t end = at + word.size();
  const bool ends = end >= code.size() || !is_letter(word.back()) || !is_letter(code[end]);
  return begins && ends;
}

// std::thread::id names a thread, it does not start one.
bool is_only_a_name(std::string_view code, std::size_t end) { return code.substr(end).starts_with("::id"); }

bool may(const Banned& banned, const SourceFile& file) {
  if (banned.tests == Tests::Free && file.is_test()) return true;
  return std::ranges::any_of(banned.homes,
                             [&](auto home) { return !home.empty() && file.path.starts_with(home); });
}

void find_word(const SourceFile& file, const Banned& banned, Findings& findings) {
  const std::string_view code = file.code;
  for (std::size_t at = code.find(banned.word); at != std::string_view::npos;
       at = code.find(banned.word, at + 1)) {
    if (!is_whole_word(code, at, banned.word) || is_only_a_name(code, at + banned.word.size())) continue;
    findings.push_back({.file = file.path,
                        .line = file.line_at(at),
                        .rule = std::string(banned.rule),
                        .message = fmt::format("{}: {}", banned.word, banned.instead)});
  }
}

}  // namespace

Findings check_banned_words(const Tree& tree) {
  Findings findings;
  for (const SourceFile& file : tree.files) {
    for (const Banned& banned : kBanned) {
      if (!may(banned, file)) find_word(file, banned, findings);
    }
  }
  return findings;
}

}  // namespace capstan::lint
