// JSON merge patch (RFC 7386): the difference of two documents, and its application. Used by kube/patch.h for
// every write of ours and by the embedded API server. Pure functions.
#pragma once

#include <boost/json/fwd.hpp>

namespace capstan::kube {

// What has to be merged into `before` to get `after`; an empty object when they are equal. Arrays are
// replaced as a whole. A null in `after` means absent, for a merge patch has no other word for it.
boost::json::value merge_difference(const boost::json::value& before, const boost::json::value& after);

// Applies `patch` to `target` in place.
void apply_merge_patch(boost::json::value& target, const boost::json::value& patch);

// Does the patch write or remove a whole array? Then it may undo what another writer put into it meanwhile.
bool replaces_array(const boost::json::value& patch, const boost::json::value& before);

}  // namespace capstan::kube
