// What a turn sees of an object of a provider, by a reference of a Machine or a pool: in the cache, or not,
// and why not. Found by external_lookup.h. A plain value.
#pragma once

#include <optional>
#include <string>

#include "api/contract/contract_object.h"
#include "api/contract/version.h"
#include "runtime/external.h"
#include "runtime/observed.h"
#include "runtime/snapshot.h"

namespace capstan::controllers {

using runtime::Snapshot;

// An object of a provider that a Machine or a pool refers to.
struct ExternalSeen {
  enum class State {
    Unused,       // there is no such reference
    CacheBehind,  // its kind is not listed yet: nothing is known
    Undefined,    // its definition does not exist: nor can the object, once a live read has found the same
    Unreadable,   // it is there, or may be, and can't be read: `problem` says why
    Missing,      // listed, and not there
    Found,
  };
  State state = State::Unused;
  kube::Resource resource = {};
  api::contract::ContractVersion contract = api::contract::ContractVersion::V1Beta2;
  kube::ObjectKey key = {};
  Snapshot<api::contract::ContractObject> object = {};  // null unless Found
  const runtime::Observed* cache = nullptr;             // for the consistency gate
  std::string problem = {};  // of Found: why `object` is an earlier state than the newest
  bool listed_soon = true;   // of CacheBehind; false: its list fails, `problem` says how
  bool live = false;  // of Found: a live look has shown its metadata, the caches can't; `problem` says why
  // Of Found: which other one that names the object has the better right to it; empty unless none controls
  // it.
  std::string right_of = {};

  bool found() const { return state == State::Found; }
  bool missing() const { return state == State::Missing; }
  bool unknown() const {
    return state == State::CacheBehind || state == State::Undefined || state == State::Unreadable;
  }
  // As the runtime has it; nothing while the reference leads nowhere.
  std::optional<runtime::External> external() const;
};

bool is_uncontrolled(const ExternalSeen& external);

}  // namespace capstan::controllers
