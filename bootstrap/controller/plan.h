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
#include "runtime/paused.h"
#include "runtime/readiness.h"

namespace capstan::bootstrap::controller {

// Its name is fixed, so a repeated try finds the first one's work. A live read guards it: that a Secret which
// is there already is this object's.
struct CreateSecret {
  api::ObjectKey key = {};
  std::string cluster = {};
  api::OwnerReference owner = {};  // the CloudConfig, as controller
  std::string for_kind = {};       // "Machine": whose data it is, for people
  Secret<std::string> value = {};
  bool operator==(const CreateSecret& other) const;
};
// After a move the owner still knows its data, only the status of the object is new.
struct RestoreStatus {
  std::string secret_name = {};
  bool operator==(const RestoreStatus&) const = default;
};

using Action = std::variant<CreateSecret, RestoreStatus>;

struct Plan {
  runtime::Paused paused = {};
  std::vector<Action> actions = {};
  std::optional<runtime::Waiting> waiting = {};
  std::optional<Seconds> recheck = {};
  bool operator==(const Plan&) const = default;
};

// One line per action; what is in a Secret is not said.
std::string describe(const Plan& plan);

}  // namespace capstan::bootstrap::controller
