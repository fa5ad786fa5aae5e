// Keys of machine-controller-manager that mean what keys of ours mean: read in their place where the manager
// was started with --mcm-aliases, and never written. Where an object has both, ours counts. Used by all that
// reads what users write on Machines, Nodes and MachineSets. accept_mcm_aliases() is called once, before the
// first controller starts; everything else from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/meta/object_meta.h"

namespace capstan::controllers::lifecycle {

// --mcm-aliases. Off until it is called.
void accept_mcm_aliases(bool accepted);
bool accepts_mcm_aliases();

// The key that stands for `ours`; empty: there is none, or none is accepted.
std::string_view mcm_alias_of(std::string_view ours);

// What is said by one of our keys or by its alias.
struct Said {
  std::string_view key = {};  // the one that counts
  std::string value = {};     // in words of ours
};
// Nothing: neither is there, or the alias alone, with a value that asks for nothing.
std::optional<Said> said(const api::Labels& values, std::string_view ours);

// Of keys that an object has beside an alias with another meaning: a sentence, for a condition and an Event.
// Empty where there is no such contradiction.
std::string overruled_alias(const api::Labels& values, std::string_view ours);
// The same of all keys: of labels, or of annotations.
std::vector<std::string> overruled_aliases(const api::Labels& values);

// Both of them.
void erase_said(api::Labels& values, std::string_view ours);

}  // namespace capstan::controllers::lifecycle
