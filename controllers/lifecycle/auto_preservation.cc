#include "controllers/lifecycle/auto_preservation.h"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "api/names.h"
#include "api/policy/names.h"
#include "controllers/lifecycle/aliases.h"
#include "controllers/lifecycle/preservation.h"

namespace capstan::controllers::lifecycle {
namespace {

using MachineList = std::vector<MachineSnapshot>;

bool is_marked(const MachineSnapshot& machine) {
  return !machine->metadata.deleting() && is_auto_preserved(*machine);
}

bool has_a_wish(const api::Labels& annotations) {
  const auto said = lifecycle::said(annotations, api::policy::annotation::kPreserve);
  return (said && parse_wish(said->value)) ||
         parse_wish(annotations.value_or_empty(api::policy::annotation::kPreserveFromNode));
}

// One whose time is over goes, and gets no second one.
bool may_be_marked(const MachineSnapshot& machine) {
  const auto& metadata = machine->metadata;
  return has_failed(*machine) && !metadata.deleting() && !is_auto_preserved(*machine) &&
         !preserved_until(*machine) && !has_a_wish(metadata.annotations) &&
         !metadata.annotations.contains(api::annotation::kPaused);
}

void sort_by_age(MachineList& machines) {
  std::ranges::sort(machines, {}, [](const MachineSnapshot& machine) {
    return std::tuple{machine->metadata.creation_timestamp, machine->metadata.name};
  });
}

MachineList marked_of(const PreservationMember& member) {
  MachineList marked;
  for (const auto* machines : {&member.machines, &member.rolled_away})
    std::ranges::copy_if(*machines, std::back_inserter(marked), is_marked);
  return marked;
}

class Sharing {
 public:
  Sharing(std::int32_t most, std::vector<PreservationMember> members)
      : most_(most), members_(std::move(members)) {
    std::ranges::stable_sort(members_, {}, &PreservationMember::name);
    for (const auto& member : members_) std::ranges::move(marked_of(member), std::back_inserter(marked_));
  }

  AutoPreservation run() {
    release();
    for (std::size_t index = 0; index < members_.size(); ++index) mark(index);
    return std::move(found_);
  }

 private:
  // The oldest first, whichever member they are of.
  void release() {
    const auto surplus = std::ssize(marked_) - most_;
    if (surplus <= 0) return;
    sort_by_age(marked_);
    found_.release.assign(marked_.begin(), marked_.begin() + surplus);
  }

  // The newest first.
  void mark(std::size_t index) {
    MachineList candidates;
    std::ranges::copy_if(members_[index].machines, std::back_inserter(candidates), may_be_marked);
    sort_by_age(candidates);
    std::ranges::reverse(candidates);
    const auto room = std::min(share(index) - std::ssize(marked_of(members_[index])), left());
    const auto taken = std::clamp<std::ptrdiff_t>(room, 0, std::ssize(candidates));
    found_.mark.insert(found_.mark.end(), candidates.begin(), candidates.begin() + taken);
  }

  std::ptrdiff_t share(std::size_t index) const {
    const auto count = static_cast<std::int32_t>(members_.size());
    return most_ / count + (std::cmp_less(index, most_ % count) ? 1 : 0);
  }
  std::ptrdiff_t left() const { return most_ - std::ssize(marked_) - std::ssize(found_.mark); }

  const std::int32_t most_;
  std::vector<PreservationMember> members_;
  MachineList marked_ = {};
  AutoPreservation found_ = {};
};

}  // namespace

AutoPreservation auto_preservation(std::int32_t most, std::vector<PreservationMember> members) {
  return Sharing(most, std::move(members)).run();
}

}  // namespace capstan::controllers::lifecycle
