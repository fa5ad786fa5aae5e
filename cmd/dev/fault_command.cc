#include "cmd/dev/fault_command.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <filesystem>
#include <iostream>

#include "api/schema/yaml.h"
#include "base/options.h"
#include "base/try.h"
#include "cmd/dev/files.h"
#include "cmd/program/flags.h"
#include "infrastructure/sim/script.h"

namespace capstan::dev {
namespace {

namespace json = boost::json;

struct Options {
  std::string faults = {};
  bool clear = false;
};

constexpr std::array kFlags = {
    flag("faults", &Options::faults,
         "file that the process was given as --faults; made when it is not there"),
    flag("clear", &Options::clear, "end what goes wrong by the file so far"),
};

constexpr std::string_view kAgain = "again";

constexpr std::string_view kUsage = R"(capstan-dev fault: something goes wrong in a simulated cloud that runs

usage: capstan-dev fault --faults FILE [--clear] [FAULT...]

  capstan-dev fault --faults f.yaml '{domain: a, for: 5m}'
  capstan-dev fault --faults f.yaml '{verb: list, missing: 50}' '{account: other, after: 1m}'
  capstan-dev fault --faults f.yaml '{api: demo, for: 30m}' '{domain: b, returns: true}'
  capstan-dev fault --faults f.yaml --clear

`up`, `provider` and `driver` follow the file within a second; times count from then. It is written
anew as JSON. The same fault once more begins again.
)";

Result<json::value> only_document(const std::string& text, json::value otherwise) {
  const auto documents = TRY(api::parse_yaml_documents(text));
  if (documents.empty()) return otherwise;
  if (documents.size() > 1) return fail(Code::Invalid, "one document is expected, not several");
  return documents.front();
}

bool is_same(json::object one, json::object other) {
  one.erase(kAgain);
  other.erase(kAgain);
  return one == other;
}

// What is in the file has begun, and may be over: the same once more is another one, by its number.
json::value as_new(json::value fault, const json::array& known) {
  auto* wanted = fault.if_object();
  if (wanted == nullptr) return fault;
  std::int64_t number = 0;
  bool is_known = false;
  for (const json::value& each : known) {
    const auto* before = each.if_object();
    if (before == nullptr || !is_same(*wanted, *before)) continue;
    is_known = true;
    const auto* said = before->if_contains(kAgain);
    if (said != nullptr && said->is_int64()) number = std::max(number, said->get_int64());
  }
  if (is_known) (*wanted)[kAgain] = number + 1;
  return fault;
}

Result<void> change_file(const Options& options, const StringList& faults) {
  std::string before;
  if (std::filesystem::exists(options.faults)) before = TRY(read_file(options.faults));
  return write_private_file(options.faults, TRY(script_with(before, faults, options.clear)));
}

}  // namespace

Result<std::string> script_with(const std::string& script, std::span<const std::string> faults,
                                bool instead) {
  const auto before = only_document(script, json::object());
  if (!before) return fail(before.error().context("mend or remove the file: as it is now"));
  json::value document = *before;
  if (!document.is_object()) return fail(Code::Invalid, "mend or remove the file: it must be an object");
  json::value& list = document.as_object()["faults"];
  if (!list.is_array()) list = json::array();
  const json::array known = list.as_array();
  if (instead) list = json::array();
  for (const std::string& fault : faults)
    list.as_array().push_back(as_new(TRY(only_document(fault, nullptr)), known));
  std::string text = json::serialize(document) + "\n";
  TRY(infrastructure::sim::parse_script(text));
  return text;
}

int fault_command(std::span<const char* const> words) {
  Options options;
  Flags flags;
  flags.add("fault", options, kFlags);
  const auto arguments = flags.parse(words, Positional::Allowed);
  if (const auto code = program::answer_words(flags, arguments, "capstan-dev fault", kUsage)) return *code;
  if (options.faults.empty()) {
    std::cerr << "capstan-dev fault: --faults is missing: which file does the process follow?\n";
    return 2;
  }
  if (const auto changed = change_file(options, arguments->positional); !changed) {
    std::cerr << "capstan-dev fault: " << changed.error().describe() << "\n";
    return 1;
  }
  return 0;
}

}  // namespace capstan::dev
