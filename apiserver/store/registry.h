// Which kinds the server serves right now: the built-in ones, and those of the CRDs. Safe from any thread;
// what it hands out is immutable and stays valid.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/store/resource_type.h"
#include "apiserver/store/strategy.h"
#include "base/guarded.h"

namespace capstan::apiserver {

struct Kind {
  TypePtr type = {};
  const Strategy* strategy = nullptr;
  std::uint64_t since = 0;                 // storage version when this schema came into force
  std::int64_t definition_generation = 0;  // metadata.generation of the CRD it was made from

  explicit operator bool() const { return type != nullptr; }
};

class Registry {
 public:
  Registry();  // with the built-in kinds

  Kind find(std::string_view group, std::string_view plural) const;
  Kind find_by_kind(std::string_view group, std::string_view kind) const;
  std::vector<TypePtr> types() const;

  void add_custom(TypePtr type, std::uint64_t since, std::int64_t definition_generation);
  void remove_custom(std::string_view group, std::string_view plural);

 private:
  struct State {
    std::map<std::pair<std::string, std::string>, Kind> kinds = {};  // by group and plural
    std::vector<std::pair<std::string, std::string>> order = {};     // built-in ones, as discovery lists them
  };
  Guarded<State> state_;
};

}  // namespace capstan::apiserver
