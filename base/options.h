// Command line flags as a constexpr table, the same idiom as API fields:
//   flag("machine-concurrency", &Options::machine_concurrency, "machines reconciled at the same time")
// Flags binds such tables to a program's options; help, completion and the dump of effective values come from
// the same table. Used by main() only, from one thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/instant.h"
#include "base/result.h"

namespace capstan {

using StringList = std::vector<std::string>;                // --name a,b or --name a --name b
using StringMap = std::map<std::string, std::string>;       // --name key=value,key=value
using Switches = std::map<std::string, bool, std::less<>>;  // feature gates; the defaults name all there are

struct FlagRules {
  std::string_view choices = {};  // "text|json": nothing else is accepted
  std::int64_t minimum = std::numeric_limits<std::int64_t>::min();
  std::int64_t maximum = std::numeric_limits<std::int64_t>::max();
};

template <typename Options>
struct Flag {
  using Member = std::variant<bool Options::*, int Options::*, std::int64_t Options::*, double Options::*,
                              std::string Options::*, Nanoseconds Options::*, StringList Options::*,
                              StringMap Options::*, Switches Options::*>;
  std::string_view name = {};
  Member member = {};
  std::string_view help = {};
  FlagRules rules = {};
};

template <typename Options, typename T>
constexpr Flag<Options> flag(std::string_view name, T Options::* member, std::string_view help,
                             FlagRules rules = {}) {
  return {.name = name, .member = member, .help = help, .rules = rules};
}

// What is left of the command line besides values.
struct Arguments {
  bool help = false;            // --help: print help() and exit with success
  std::string completion = {};  // --completion bash: print completion() and exit with success
  StringList positional = {};
};

enum class Positional { Refused, Allowed };

class Flags {
 public:
  Flags();
  Flags(const Flags&) = delete;
  Flags& operator=(const Flags&) = delete;

  // `options` outlives this object; what it holds now is shown as the defaults.
  template <typename Options, std::size_t kCount>
  Flags& add(std::string_view group, Options& options, const std::array<Flag<Options>, kCount>& table) {
    for (const Flag<Options>& entry : table) {
      add(group, entry.name, entry.help, entry.rules,
          std::visit([&](auto member) { return Target(&(options.*member)); }, entry.member));
    }
    return *this;
  }

  // Everything behind the program's name. Reads "--name value", "--name=value", "--switch", "--switch=false",
  // "-v 4";
  // "--" ends the flags. The last one wins; lists gather.
  Result<Arguments> parse(std::span<const char* const> words, Positional positional = Positional::Refused);

  std::string help(std::string_view usage) const;
  std::string completion(std::string_view program) const;  // for bash
  // Every flag with the value it has now, in the order of the tables.
  std::vector<std::pair<std::string, std::string>> effective() const;

 private:
  using Target = std::variant<bool*, int*, std::int64_t*, double*, std::string*, Nanoseconds*, StringList*,
                              StringMap*, Switches*>;
  struct Bound {
    std::string_view group;
    std::string_view name;
    std::string_view help;
    FlagRules rules;
    Target target;
    std::string default_value;
    bool given = false;
  };

  using Words = std::span<const char* const>;
  struct Word;

  void add(std::string_view group, std::string_view name, std::string_view help, FlagRules rules,
           Target target);
  Result<void> take_flag(Word word, Words& following);
  Bound* find(std::string_view name);
  std::string nearest(std::string_view name) const;

  Arguments arguments_ = {};
  std::vector<Bound> flags_;
};

}  // namespace capstan
