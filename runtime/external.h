// A provider's object that a reference leads to, as the caches have it, or why none is known. Found by
// runtime/external_refs.h. A plain value.
#pragma once

#include <string>
#include <string_view>

#include "api/contract/contract_object.h"
#include "api/contract/version.h"
#include "runtime/observed.h"
#include "runtime/snapshot.h"

namespace capstan::runtime {

// Why a reference can't be followed: Error::reason of what ExternalRefs answers.
inline constexpr std::string_view kNotDefined = "NotDefined";  // its CRD does not exist, as far as we know
inline constexpr std::string_view kNoContract = "NoContract";  // its CRD lacks the labels of the contract
inline constexpr std::string_view kUnreadable = "Unreadable";  // the object is there, and can't be decoded

// A referred object, or the knowledge that there is none.
struct External {
  kube::Resource resource = {};
  api::contract::ContractVersion contract = api::contract::ContractVersion::V1Beta2;
  ObjectKey key = {};
  Snapshot<api::contract::ContractObject> object = {};  // null: not in the cache, which is complete
  const Observed* cache = nullptr;                      // for the consistency gate
  std::string unreadable = {};                          // why `object` is an earlier state than the newest
};

}  // namespace capstan::runtime
