// Order of Kubernetes versions where builds count ("v1.34.1+k3s1" against "v1.34.1+k3s2"): for rollouts of
// control planes and for status.versions. base/version.h alone ignores what stands behind "+". Pure
// functions.
#pragma once

#include "base/version.h"

namespace capstan::api {

// Different: one version in two builds that have no order ("+a" against "+b").
enum class VersionOrder { Older, Same, Newer, Different };

VersionOrder compare_with_build(const Version& left, const Version& right);

}  // namespace capstan::api
