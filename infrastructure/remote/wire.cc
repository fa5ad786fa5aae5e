#include "infrastructure/remote/wire.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>

#include "base/try.h"

namespace capstan::infrastructure::remote {
namespace {

constexpr std::array<std::pair<VmState, std::string_view>, 4> kStates = {{
    {VmState::Pending, "Pending"},
    {VmState::Running, "Running"},
    {VmState::Stopping, "Stopping"},
    {VmState::Stopped, "Stopped"},
}};

std::string_view word_of(VmState state) { return kStates[static_cast<std::size_t>(state)].second; }

Result<VmState> state_of(std::string_view word) {
  const auto* const found = std::ranges::find(kStates, word, &std::pair<VmState, std::string_view>::second);
  if (found == kStates.end())
    return fail(Code::Invalid, "vm.state: \"" + std::string(word) + "\" is no state");
  return found->first;
}

}  // namespace

VmMessage message_of(const Vm& vm) {
  VmMessage message{.provider_id = Text(vm.provider_id),
                    .name = Text(vm.name),
                    .state = Text(word_of(vm.state)),
                    .tags = message_of(vm.tags),
                    .failure_domain = Text(vm.failure_domain)};
  for (const auto& address : vm.addresses) message.addresses.push_back(address);
  if (vm.interruptible) message.interruptible = true;
  return message;
}

Result<Vm> vm_of(const VmMessage& message) {
  if (message.provider_id.empty()) return fail(Code::Invalid, "vm.providerID is missing");
  if (message.name.empty()) return fail(Code::Invalid, "vm.name is missing");
  Vm vm{.provider_id = message.provider_id.str(),
        .name = message.name.str(),
        .state = TRY(state_of(message.state)),
        .tags = tags_of(message.tags),
        .failure_domain = message.failure_domain.str(),
        .interruptible = message.interruptible.value_or(false)};
  for (const auto& address : message.addresses) vm.addresses.push_back(address);
  return vm;
}

TextMap message_of(const Tags& tags) {
  TextMap::Entries entries;
  for (const auto& [name, value] : tags) entries.emplace_back(Text(name), Text(value));
  return TextMap(std::move(entries));
}

Tags tags_of(const TextMap& message) {
  Tags tags;
  for (const auto& [name, value] : message) tags.emplace(name.str(), value.str());
  return tags;
}

ErrorAnswer message_of(const DriverError& error) {
  ErrorAnswer answer{.code = Text(to_string(error.code)), .message = FreeText(error.message)};
  answer.last_known_state = FreeText(error.last_known_state);
  if (error.retry_after) answer.retry_after_seconds = error.retry_after->count();
  return answer;
}

DriverError error_of(const ErrorAnswer& answer) {
  const auto code = parse_driver_code(answer.code);
  DriverError error{.code = code.value_or(DriverCode::Unknown), .message = answer.message.str()};
  if (!code) error.message = "unknown code \"" + answer.code.str() + "\": " + error.message;
  error.last_known_state = answer.last_known_state.str();
  if (answer.retry_after_seconds) error.retry_after = Seconds(*answer.retry_after_seconds);
  return error;
}

RawJson raw_json(const std::string& text) {
  if (text.empty()) return {};
  boost::system::error_code fault;
  const auto value = boost::json::parse(text, fault);
  return fault ? RawJson(boost::json::value(text)) : RawJson(value);
}

}  // namespace capstan::infrastructure::remote
