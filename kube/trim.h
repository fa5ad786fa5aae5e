// Takes metadata.managedFields out of the text of an object before anybody parses it: it is the larger half
// of what a server answers to a write, and who writes does not look at it. Pure; safe from any thread.
#pragma once

#include <string>

namespace capstan::kube {

// Text that is no object, or ends early, stays as it is: whoever parses it says what is wrong.
void cut_managed_fields(std::string& document);

}  // namespace capstan::kube
