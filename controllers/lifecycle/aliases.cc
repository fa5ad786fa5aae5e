#include "controllers/lifecycle/aliases.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "api/policy/mcm_names.h"
#include "api/policy/names.h"
#include "base/duration.h"

namespace capstan::controllers::lifecycle {
namespace {

namespace annotation = api::policy::annotation;
namespace label = api::policy::label;
namespace mcm = api::policy::mcm;

constexpr std::size_t kShownOfAnAlias = 32;

std::atomic<bool> aliases_accepted = false;

// A value of machine-controller-manager in our words; nothing: it asks for nothing.
using InOurWords = std::optional<std::string> (*)(std::string_view);

std::optional<std::string> as_it_is(std::string_view value) { return std::string(value); }

// As Go reads a bool.
std::optional<std::string> as_flag(std::string_view value) {
  constexpr std::array<std::string_view, 6> kTrue = {"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> kFalse = {"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(kTrue, value) != kTrue.end()) return "true";
  return std::ranges::find(kFalse, value) != kFalse.end() ? std::string("false") : std::string(value);
}

// "20m0s" is 1200; what is no span stays as it is and is refused by the reader of the number.
std::optional<std::string> as_seconds(std::string_view value) {
  const auto span = parse_duration(value);
  if (!span) return std::string(value);
  return std::to_string(std::chrono::duration_cast<std::chrono::seconds>(*span).count());
}

// machine-controller-manager says "auto-preserved" itself: it is no wish of a user.
std::optional<std::string> as_wish(std::string_view value) {
  return value == mcm::kAutoPreservedValue ? std::nullopt : std::optional(std::string(value));
}

struct Alias {
  std::string_view ours;
  std::string_view theirs;
  InOurWords in_our_words;
};
constexpr std::array kAliases = {
    Alias{annotation::kDeletionPriority, mcm::kMachinePriority, as_it_is},
    Alias{annotation::kForceDeletion, mcm::kForceDeletion, as_flag},
    Alias{annotation::kCreationTimeout, mcm::kEffectiveCreationTimeout, as_seconds},
    Alias{annotation::kPreserve, mcm::kPreserve, as_wish},
    Alias{annotation::kFreeze, mcm::kFreeze, as_flag},
    Alias{annotation::kVictims, mcm::kVictims, as_it_is},
    Alias{annotation::kScaleDownDisabledByUs, mcm::kScaleDownDisabledByMcm, as_it_is},
    Alias{label::kSelectedForUpdate, mcm::kSelectedForUpdate, as_it_is},
    Alias{label::kUpdateResult, mcm::kUpdateResult, as_it_is},
    Alias{annotation::kUpdateFailedReason, mcm::kUpdateFailedReason, as_it_is},
};

const Alias* alias_of(std::string_view ours) {
  if (!accepts_mcm_aliases()) return nullptr;
  const auto* found = std::ranges::find(kAliases, ours, &Alias::ours);
  return found == kAliases.end() ? nullptr : found;
}

std::optional<Said> said_by_alias(const api::Labels& values, std::string_view ours) {
  const Alias* alias = alias_of(ours);
  const Text* text = alias == nullptr ? nullptr : values.find(alias->theirs);
  if (text == nullptr) return std::nullopt;
  auto value = alias->in_our_words(text->view());
  return value ? std::optional(Said{.key = alias->theirs, .value = std::move(*value)}) : std::nullopt;
}

}  // namespace

void accept_mcm_aliases(bool accepted) { aliases_accepted = accepted; }
bool accepts_mcm_aliases() { return aliases_accepted; }

std::string_view mcm_alias_of(std::string_view ours) {
  const Alias* alias = alias_of(ours);
  return alias == nullptr ? std::string_view() : alias->theirs;
}

std::optional<Said> said(const api::Labels& values, std::string_view ours) {
  if (const Text* text = values.find(ours)) return Said{.key = ours, .value = text->str()};
  return said_by_alias(values, ours);
}

std::string overruled_alias(const api::Labels& values, std::string_view ours) {
  const Text* text = values.find(ours);
  const auto alias = said_by_alias(values, ours);
  if (text == nullptr || !alias || *text == std::string_view(alias->value)) return {};
  return fmt::format("{} says {:?} and wins over {}, which says {:?}: take one of them off", ours,
                     text->view().substr(0, kShownOfAnAlias), alias->key,
                     values.value_or_empty(alias->key).substr(0, kShownOfAnAlias));
}

std::vector<std::string> overruled_aliases(const api::Labels& values) {
  std::vector<std::string> sentences;
  for (const Alias& alias : kAliases) {
    auto sentence = overruled_alias(values, alias.ours);
    if (!sentence.empty()) sentences.push_back(std::move(sentence));
  }
  return sentences;
}

void erase_said(api::Labels& values, std::string_view ours) {
  values.erase(ours);
  if (const std::string_view alias = mcm_alias_of(ours); !alias.empty()) values.erase(alias);
}

}  // namespace capstan::controllers::lifecycle
