// Labels and annotations of a Machine's bootstrap and infrastructure objects follow the set's template. They
// are made by one field manager and kept by another, as upstream does it; the hand-over takes place only when
// something has to change, which for most objects is never. Pure.
#pragma once

#include <boost/json/fwd.hpp>

#include "api/contract/contract_object.h"
#include "api/v1beta2/machine.h"
#include "api/v1beta2/machine_set.h"
#include "base/result.h"

namespace capstan::controllers::machineset {

struct CloneMetadata {
  api::Labels labels = {};
  api::Labels annotations = {};
  bool operator==(const CloneMetadata&) const = default;
};
// What the set wants of its Machines' objects.
CloneMetadata wanted_metadata(const api::MachineSet& set);

enum class CloneStep {
  Nothing,
  Apply,             // the keeper of the metadata applies it
  HandOverAndApply,  // it belongs to the maker still
};

// `machine` as it was before it was updated itself: what it owns tells our labels from those of the
// provider's template.
CloneStep clone_step(const api::MachineSet& set, const api::Machine& machine,
                     const api::contract::ContractObject& clone);

// The merge patch that makes the keeper the owner of our labels and annotations on the object that `live` is;
// what the maker owned beyond them has no owner afterwards, as upstream leaves it. Invalid when the
// object has no managedFields to speak of.
Result<boost::json::value> hand_over_patch(const api::MachineSet& set, const api::Machine& machine,
                                           const boost::json::value& live);

// Made from a template, and neither maker nor keeper own anything of it any more (metadata.managedFields was
// reset), or the API server has invented an owner of everything (kubernetes#136919): labels that leave the
// template would stay.
bool has_lost_keeper(const api::contract::ContractObject& clone);

// The merge patch that makes the keeper the owner of what is ours on the object that `live` is, and takes the
// invented owner away. Invalid when there is nothing to repair.
Result<boost::json::value> keeper_patch(const api::MachineSet& set, const api::Machine& machine,
                                        const boost::json::value& live);

// What the keeper applies.
boost::json::value metadata_intent(const api::contract::ContractObject& clone, const CloneMetadata& wanted);

}  // namespace capstan::controllers::machineset
