#include "infrastructure/remote/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "api/driver/names.h"
#include "api/schema/encode.h"
#include "infrastructure/remote/credentials_wire.h"
#include "infrastructure/remote/error_shape.h"
#include "infrastructure/remote/messages.h"

namespace capstan::infrastructure::remote {
namespace {

namespace tag = api::driver::tag;

using Fault = std::optional<std::string>;

constexpr Nanoseconds kLookAgain = std::chrono::milliseconds(500);
constexpr std::string_view kNoVerb = "noSuchVerb";
constexpr std::string_view kCheckTag = "driver-check";
constexpr std::string_view kForeignVolume = R"({"csi":{"driver":"no-driver.example","volumeHandle":"x"}})";

template <typename T>
Fault fault_of(const DriverResult<T>& result) {
  return result ? Fault() : result.error().describe();
}

bool is_absent(const DriverResult<Vm>& status) {
  return !status && status.error().code == DriverCode::NotFound;
}

// One run: what each promise needs of the ones before it.
class Run {
 public:
  Run(const CheckDeps& deps, const CheckOptions& options) : deps_(deps), options_(options) {}

  Fault knows_itself() { return fault_of(deps_.driver.identity(credentials(), soon())); }

  Fault knows_what_is_not_there() {
    const auto found = status({.instance_key = "none-" + options_.run});
    if (is_absent(found)) return std::nullopt;
    return found ? "it answers VM " + found->name : "not NotFound but " + found.error().describe();
  }

  Fault refuses_unknown_verbs() {
    return fault_of_call(kNoVerb, DriverCode::Unimplemented,
                         IdentityRequest{.credentials = message_of(credentials())});
  }

  Fault says_what_is_wrong() {
    return fault_of_call(
        verb::kStatus, DriverCode::NotFound,
        VmRequest{.credentials = message_of(credentials()), .instance_key = Text("none-" + options_.run)});
  }

  Fault makes_a_vm() {
    const auto made = create_first("a");
    if (made) vm_ = *made;
    return fault_of(made);
  }

  Fault makes_no_second_vm() {
    const auto again = create("a");
    if (!again) return again.error().describe();
    if (again->provider_id == vm_.provider_id) return std::nullopt;
    return fmt::format("there are {} and {}", vm_.provider_id, again->provider_id);
  }

  // As after an answer that was lost: the second call comes while the first one works. The answers may be one
  // VM where there are two.
  Fault makes_one_vm_of_two_calls() {
    DriverResult<Vm> other;
    const auto thread =
        deps_.threads.spawn("second create", [&](const std::stop_token&) { other = create("b"); });
    const auto one = create_first("b");
    thread->join();
    if (!one || !other) return one ? fault_of(other) : fault_of(one);
    other_ = *one;
    if (one->provider_id != other->provider_id)
      return fmt::format("there are {} and {}", one->provider_id, other->provider_id);
    return is_listed_once("b");
  }

  Fault makes_another_vm_for_another_key() {
    if (other_.provider_id != vm_.provider_id) return std::nullopt;
    return fmt::format("VM {} has both", vm_.provider_id);
  }

  Fault finds_it_by_key() { return same(status({.instance_key = key("a")})); }
  Fault finds_it_by_provider_id() { return same(status({.provider_id = vm_.provider_id})); }

  Fault carries_its_tags() {
    if (tag_of(vm_, tag::kInstanceKey) != key("a"))
      return fmt::format("tag {} is \"{}\"", tag::kInstanceKey, tag_of(vm_, tag::kInstanceKey));
    if (tag_of(vm_, kCheckTag) != options_.run) return fmt::format("tag {} is not there", kCheckTag);
    return std::nullopt;
  }

  Fault lists_by_tag() {
    const auto listed = list();
    if (!listed) return listed.error().describe();
    if (std::ranges::find(*listed, vm_.provider_id, &Vm::provider_id) != listed->end()) return std::nullopt;
    return fmt::format("{} VMs, and not {}", listed->size(), vm_.provider_id);
  }

  // A list may lag behind. The driver decides how many of them a page has.
  Fault lists_each_vm_once() {
    for (std::int32_t i = 0; i < options_.more_vms; ++i)
      if (const auto made = create_first(more_vm(i)); !made) return made.error().describe();
    for (const std::string& which : there_)
      if (auto fault = is_listed_once(which)) return which + ": " + *fault;
    return std::nullopt;
  }

  Fault sets_tags() {
    if (auto fault = tag("set")) return fault;
    const auto tagged = status({.provider_id = vm_.provider_id});
    if (!tagged) return tagged.error().describe();
    if (tag_of(*tagged, "check") != "set") return "status does not show the tag";
    if (auto fault = tag("")) return fault;
    const auto bare = status({.provider_id = vm_.provider_id});
    if (!bare) return bare.error().describe();
    return bare->tags.contains("check") ? "status shows the tag that an empty value took off" : Fault();
  }

  Fault sets_up() {
    const auto ready = deps_.driver.initialize({.id = {.provider_id = vm_.provider_id},
                                                .vm_class = options_.vm_class,
                                                .provider_spec = options_.provider_spec},
                                               credentials(), soon());
    if (!ready && ready.error().code == DriverCode::Unimplemented) return std::nullopt;
    return same(ready);
  }

  Fault passes_over_foreign_volumes() {
    const std::vector<std::string> volumes = {std::string(kForeignVolume)};
    const auto ids = deps_.driver.volume_ids(volumes, soon());
    if (!ids) return ids.error().describe();
    return ids->empty() ? Fault() : "it takes " + ids->front() + " for its own";
  }

  Fault removes_vms() {
    Fault first;
    for (const std::string& which : asked_for_)
      if (auto fault = remove_and_wait(which); !first) first = std::move(fault);
    return first;
  }

  Fault lists_none_that_is_gone() {
    const Deadline deadline = soon();
    while (true) {
      const auto listed = list();
      if (!listed) return listed.error().describe();
      if (listed->empty()) return std::nullopt;
      if (deadline.passed(deps_.clock.steady_now()))
        return fmt::format("list still shows {} of {} VMs", listed->front().provider_id, listed->size());
      look_again_before(deadline);
    }
  }

  Fault removes_again() {
    const auto removed = deps_.driver.remove({.instance_key = key("a")}, credentials(), soon());
    if (removed || removed.error().code == DriverCode::NotFound) return std::nullopt;
    return removed.error().describe();
  }

  bool has_a_vm() const { return !vm_.provider_id.empty(); }
  bool sees_messages() const { return deps_.transport != nullptr; }

 private:
  static std::string more_vm(std::int32_t number) { return fmt::format("more-{}", number); }
  std::string key(std::string_view which) const { return fmt::format("check-{}-{}", options_.run, which); }
  const Credentials& credentials() const { return options_.credentials; }
  Deadline soon() const { return Deadline::in(deps_.clock, options_.patience); }
  DriverResult<Vm> status(const VmId& id) { return deps_.driver.status(id, credentials(), soon()); }

  DriverResult<std::vector<Vm>> list() {
    return deps_.driver.list({{std::string(kCheckTag), options_.run}}, credentials(), soon());
  }
  void look_again_before(const Deadline& deadline) {
    deps_.threads.pause(deadline.no_later_than(deps_.clock.steady_now() + kLookAgain));
  }

  DriverResult<Vm> create(std::string_view which) {
    return deps_.driver.create({.instance_key = key(which),
                                .name = key(which),
                                .tags = {{std::string(kCheckTag), options_.run}},
                                .vm_class = options_.vm_class,
                                .provider_spec = options_.provider_spec,
                                .user_data = Secret<std::string>("#!/bin/sh\ntrue\n"),
                                .user_data_format = "script"},
                               credentials(), soon());
  }

  DriverResult<Vm> create_first(const std::string& which) {
    asked_for_.push_back(which);
    auto made = create(which);
    if (made) there_.push_back(which);
    return made;
  }

  template <typename Request>
  Fault fault_of_call(std::string_view verb, DriverCode wanted, Request request) {
    request.timeout_milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(options_.patience).count();
    const auto answer = deps_.transport->post(verb, api::encode(request), soon());
    return answer ? fault_of_error(*answer, wanted) : answer.error().describe();
  }

  Fault tag(std::string_view value) {
    return fault_of(deps_.driver.tag({.provider_id = vm_.provider_id}, {{"check", std::string(value)}},
                                     credentials(), soon()));
  }

  Fault same(const DriverResult<Vm>& vm) const {
    if (!vm) return vm.error().describe();
    return vm->provider_id == vm_.provider_id ? Fault() : "it answers VM " + vm->provider_id;
  }

  // A list may lag behind the VM that it lacks.
  Fault is_listed_once(std::string_view which) {
    const Deadline deadline = soon();
    while (true) {
      const auto listed = list();
      if (!listed) return listed.error().describe();
      const auto count = std::ranges::count_if(
          *listed, [&](const Vm& vm) { return tag_of(vm, tag::kInstanceKey) == key(which); });
      if (count == 1) return std::nullopt;
      if (count > 1 || deadline.passed(deps_.clock.steady_now()))
        return fmt::format("list shows {} VMs of the key", count);
      look_again_before(deadline);
    }
  }

  Fault remove_and_wait(std::string_view which) {
    const VmId id{.instance_key = key(which)};
    const auto removed = deps_.driver.remove(id, credentials(), soon());
    if (!removed && removed.error().code != DriverCode::NotFound) return removed.error().describe();
    const Deadline deadline = soon();
    while (!is_absent(status(id))) {
      if (deadline.passed(deps_.clock.steady_now())) return "status still does not answer NotFound";
      look_again_before(deadline);
    }
    return std::nullopt;
  }

  const CheckDeps& deps_;
  const CheckOptions& options_;
  Vm vm_;
  Vm other_;  // of another key
  std::vector<std::string> asked_for_ = {};
  std::vector<std::string> there_ = {};  // those of them that were answered with a VM
};

enum class Needs { Nothing, Messages, AVm };

struct Promise {
  std::string_view words;
  Fault (Run::*keep)();
  Needs needs = Needs::Nothing;
};

constexpr std::array kPromises = {
    Promise{"identity answers", &Run::knows_itself},
    Promise{"status of a VM that is not there answers NotFound", &Run::knows_what_is_not_there},
    Promise{"a verb that is not known answers Unimplemented", &Run::refuses_unknown_verbs, Needs::Messages},
    Promise{"an error is not HTTP 200, and has a code and a message", &Run::says_what_is_wrong,
            Needs::Messages},
    Promise{"create answers a VM", &Run::makes_a_vm},
    Promise{"create with the same key answers the same VM", &Run::makes_no_second_vm, Needs::AVm},
    Promise{"two creates at once with one key make one VM", &Run::makes_one_vm_of_two_calls, Needs::AVm},
    Promise{"create with another key makes another VM", &Run::makes_another_vm_for_another_key, Needs::AVm},
    Promise{"status finds the VM by its key", &Run::finds_it_by_key, Needs::AVm},
    Promise{"status finds the VM by its provider ID", &Run::finds_it_by_provider_id, Needs::AVm},
    Promise{"the VM carries its key and its tags", &Run::carries_its_tags, Needs::AVm},
    Promise{"list finds the VM by a tag", &Run::lists_by_tag, Needs::AVm},
    Promise{"list has each VM once, over all of its pages", &Run::lists_each_vm_once, Needs::AVm},
    Promise{"tag sets a tag and takes it off", &Run::sets_tags, Needs::AVm},
    Promise{"initialize answers the VM, or Unimplemented", &Run::sets_up, Needs::AVm},
    Promise{"volumeIds passes over volumes of others", &Run::passes_over_foreign_volumes},
    Promise{"delete removes the VMs", &Run::removes_vms},
    Promise{"list shows no VM that is deleted", &Run::lists_none_that_is_gone},
    Promise{"delete of a VM that is gone does no harm", &Run::removes_again},
};

bool has(const Run& run, Needs needs) {
  switch (needs) {
    case Needs::Nothing: return true;
    case Needs::Messages: return run.sees_messages();
    case Needs::AVm: return run.has_a_vm();
  }
  return true;
}

}  // namespace

std::vector<CheckResult> check_driver(const CheckDeps& deps, const CheckOptions& options,
                                      const std::function<void(const CheckResult&)>& on_result) {
  Run run(deps, options);
  std::vector<CheckResult> results;
  for (const Promise& promise : kPromises) {
    if (!has(run, promise.needs)) continue;
    results.push_back({.promise = std::string(promise.words), .fault = (run.*promise.keep)()});
    if (on_result) on_result(results.back());
  }
  return results;
}

}  // namespace capstan::infrastructure::remote
