// What a DELETE means for one object at one moment: gone at once, marked and waited for, or nothing new.
// Pure.
#pragma once

#include <optional>
#include <string>

#include "apiserver/target.h"
#include "base/instant.h"

namespace capstan::apiserver {

// DeleteOptions, from body and query.
struct DeleteWish {
  std::string uid = {};      // precondition
  std::string version = {};  // precondition
  std::string propagation = {};
  std::optional<std::int64_t> grace = {};
  bool dry_run = false;
};
Answer<DeleteWish> delete_wish(const Request& request);

enum class DeletionStep { Nothing, Store, Erase, StoreThenErase };

struct Deletion {
  DeletionStep step = DeletionStep::Nothing;
  json::object object = {};  // what to store
};
// A write that leaves an object without anything that holds it back ends its deletion.
bool is_released(std::string_view collection, const json::object& object);

Deletion deletion_plan(const Target& target, const DeleteWish& wish, const json::object& live, WallTime now);

}  // namespace capstan::apiserver
