// What the server itself says of a provider's object that the caches can't show: its definition lacks the
// labels of the contract, or the object could not be decoded. For owners that are being deleted and must
// neither leave it behind nor wait for ever. Two requests; blocks as the client does. Safe from any thread.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "api/core/custom_resource_definition.h"
#include "api/meta/object_meta.h"
#include "api/v1beta2/common.h"
#include "base/clock.h"
#include "base/deadline.h"
#include "base/guarded.h"
#include "base/result.h"
#include "kube/client.h"
#include "runtime/store.h"

namespace capstan::controllers {

struct LiveObject {
  enum class State {
    Undefined,  // its definition does not exist, so nor can the object
    Gone,
    Present,
  };
  State state = State::Gone;
  kube::Resource resource = {};   // in the highest version that is served; of Undefined: nothing
  api::ObjectMeta metadata = {};  // of Present
};
// The definition first, for a version that is served, then the object by its name.
Result<LiveObject> look_live(kube::Client& client, const api::ContractRef& ref, std::string_view namespace_,
                             const Deadline& deadline);

// An object of that API group, of whatever kind keeps the contract, that has an owner reference of that uid:
// what an owner whose reference names no kind there is may have left. A list per kind; null: none.
struct LiveOwned {
  kube::Resource resource = {};
  std::string kind = {};
  std::string name = {};
};
Result<std::optional<LiveOwned>> find_owned(kube::Client& client,
                                            const runtime::Store<api::CustomResourceDefinition>& definitions,
                                            std::string_view group, std::string_view namespace_,
                                            const api::Uid& owner, const Deadline& deadline);

// Asks once in kLiveLook (recheck.h), however often its owner has a turn. Only that an object is there is
// remembered.
class LiveLooks {
 public:
  explicit LiveLooks(const Clock& clock) : clock_(clock) {}
  Result<LiveObject> look(kube::Client& client, const kube::ObjectKey& owner, const api::ContractRef& ref,
                          const Deadline& deadline);
  // It has been told to go: so it stands until the next look.
  void told_to_go(const kube::ObjectKey& owner, const api::ContractRef& ref, Time now);
  void forget(const kube::ObjectKey& owner);

 private:
  struct Answer {
    SteadyTime until = {};
    LiveObject object = {};
  };
  using Which = std::pair<kube::ObjectKey, std::string>;  // owner; kind, group and name of the object
  static Which which(const kube::ObjectKey& owner, const api::ContractRef& ref);

  const Clock& clock_;
  Guarded<std::map<Which, Answer>> answers_;
};

}  // namespace capstan::controllers
