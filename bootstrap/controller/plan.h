// What a turn of a CloudConfig is going to do, and why. Made by decide.h, carried out by act.h, shown by
// report.h. A plain value.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "api/meta/object_key.h"
#include "api/meta/owner_reference.h"
#include "base/secret.h"
#include "bootstrap/token.h"
#include "runtime/paused.h"
#include "runtime/readiness.h"

namespace capstan::bootstrap::controller {

// The content of a data Secret.
struct Rendered {
  Secret<std::string> value = {};
  std::string format = {};
  std::string token_id = {};  // of the bootstrap token in it; empty: none
  bool operator==(const Rendered& other) const {
    return value.reveal() == other.value.reveal() && format == other.format && token_id == other.token_id;
  }
};

// Of a new token, in the workload cluster: before the data Secret that names it, for a token is found again
// by its labels, and data with no token would make a VM that can't join.
struct CreateToken {
  api::ObjectKey cluster = {};
  Token token = {};
  TokenOwner owner = {};
  bool operator==(const CreateToken&) const = default;
};
// The same token lasts longer, so what a VM has read stays true.
struct ExtendToken {
  api::ObjectKey cluster = {};
  std::string id = {};
  Time expires = {};
  bool operator==(const ExtendToken&) const = default;
};
struct RemoveToken {
  api::ObjectKey cluster = {};
  std::string id = {};
  bool may_fail = false;  // a deletion has waited for long enough: what is left ends by its expiry
  bool operator==(const RemoveToken&) const = default;
};
// Its name is fixed, so a repeated try finds the first one's work. A live read guards it: that a Secret which
// is there already is this object's.
struct CreateSecret {
  api::ObjectKey key = {};
  std::string cluster = {};
  api::OwnerReference owner = {};  // the CloudConfig, as controller
  std::string for_kind = {};       // "Machine": whose data it is, for people
  Rendered content = {};
  bool operator==(const CreateSecret&) const = default;
};
// Another token for machines that have not read the data yet.
struct RenewSecret {
  api::ObjectKey key = {};
  std::string version = {};  // of the Secret that was looked at
  Rendered content = {};
  bool operator==(const RenewSecret&) const = default;
};
// The data are there and the status does not say so: after a move or a crash only the status is new.
struct RestoreStatus {
  std::string secret_name = {};
  bool operator==(const RestoreStatus&) const = default;
};
// There is no token any more, and the status says so.
struct NoteRemoval {
  bool operator==(const NoteRemoval&) const = default;
};
// The same for the finalizer of an earlier version. The turn ends with it.
struct Release {
  bool operator==(const Release&) const = default;
};

using Action = std::variant<CreateToken, ExtendToken, RemoveToken, CreateSecret, RenewSecret, RestoreStatus,
                            NoteRemoval, Release>;

struct Plan {
  runtime::Paused paused = {};
  std::vector<Action> actions = {};  // in this order; the first that fails is the last
  std::optional<runtime::Waiting> waiting = {};
  std::optional<Seconds> recheck = {};
  bool operator==(const Plan&) const = default;
};

// One line per action; what is in a Secret is not said.
std::string describe(const Plan& plan);

}  // namespace capstan::bootstrap::controller
