#include "apiserver/store/registry.h"

#include <algorithm>

#include "apiserver/builtin/builtin.h"

namespace capstan::apiserver {
namespace {

constexpr Strategy kCustom{.unconditional_update = false, .has_generation = true};

}  // namespace

Registry::Registry() {
  state_.with([](State& state) {
    for (auto& kind : builtin_kinds()) {
      std::pair key(kind.type->group, kind.type->plural);
      state.order.push_back(key);
      state.kinds.emplace(std::move(key), std::move(kind));
    }
  });
}

Kind Registry::find(std::string_view group, std::string_view plural) const {
  return state_.with([&](const State& state) {
    const auto found = state.kinds.find(std::pair(std::string(group), std::string(plural)));
    return found == state.kinds.end() ? Kind() : found->second;
  });
}

Kind Registry::find_by_kind(std::string_view group, std::string_view kind) const {
  return state_.with([&](const State& state) {
    const auto found = std::ranges::find_if(state.kinds, [&](const auto& row) {
      return row.first.first == group && row.second.type->kind == kind;
    });
    return found == state.kinds.end() ? Kind() : found->second;
  });
}

std::vector<TypePtr> Registry::types() const {
  return state_.with([](const State& state) {
    std::vector<TypePtr> types;
    for (const auto& key : state.order) types.push_back(state.kinds.at(key).type);
    for (const auto& [key, kind] : state.kinds) {
      if (kind.type->custom) types.push_back(kind.type);
    }
    return types;
  });
}

void Registry::add_custom(TypePtr type, std::uint64_t since, std::int64_t definition_generation) {
  state_.with([&](State& state) {
    std::pair key(type->group, type->plural);
    state.kinds[std::move(key)] = Kind{.type = std::move(type),
                                       .strategy = &kCustom,
                                       .since = since,
                                       .definition_generation = definition_generation};
  });
}

void Registry::remove_custom(std::string_view group, std::string_view plural) {
  state_.with([&](State& state) {
    const auto found = state.kinds.find(std::pair(std::string(group), std::string(plural)));
    if (found == state.kinds.end() || !found->second.type->custom) return;
    state.kinds.erase(found);
  });
}

}  // namespace capstan::apiserver
