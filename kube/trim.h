// Takes out of the text of an object, before it is parsed, what its reader will not look at. Text that is no
// object, or ends early, stays as it is: its parser says what is wrong. Pure; safe from any
// thread.
#pragma once

#include <string>
#include <string_view>

namespace capstan::kube {

// metadata.managedFields: the larger half of what a server answers to a write.
void cut_managed_fields(std::string& document);

// Everything behind metadata, for a writer that asks for no more (api/meta/written.h).
void cut_behind_metadata(std::string& document);

// A line of a watch without what managedFields say of Update entries: only Apply entries are kept of
// them (api/schema/managed_fields.h). Refers to `line`, or to `scratch` when there was something to leave
// out.
std::string_view without_updated_fields(std::string_view line, std::string& scratch);

}  // namespace capstan::kube
