// Whose VMs an answer of the cloud is about. spec.account of an object names the account that its VMs are in,
// written down before the cloud hears of the first one; with credentials of another account the cloud finds
// none of them, and they run on. Used by the turns of machines and pools and by the search for orphans.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/meta/object_meta.h"
#include "infrastructure/controller/trouble.h"
#include "infrastructure/driver.h"

namespace capstan::infrastructure {

// "simulated/nowhere": the account and, where the cloud has several, its region.
std::string account_name(const Identity& identity);

// Where these credentials lead. Empty: the driver knows no accounts. Blocks as the driver does.
DriverResult<std::string> ask_account(Driver& driver, const Credentials& credentials,
                                      const Deadline& deadline);

// Why the cloud's answers are not about VMs in the account `ours`, if so. Pure. An empty `ours` was never
// written down, and any account will do. `unanswered`: what it comes to when the driver does not say.
std::optional<Trouble> wrong_account(std::string_view ours, const DriverResult<std::string>& answer,
                                     api::NoteCode unanswered = api::NoteCode::VmNotCreated);

// Without credentials nothing can be asked about the VMs of an object that goes: a person's word counts that
// they are given up. Where there is none, what is wrong with the credentials says how to give it.
bool is_given_up_unseen(const api::ObjectMeta& object, std::string_view ours,
                        std::optional<Trouble>& no_credentials);

// A person has said that the VMs in the account `ours` are given up. Pure.
bool abandons_vms(const api::ObjectMeta& object, std::string_view ours);

}  // namespace capstan::infrastructure
