// IPAddressClaims of v1alpha1 name their Cluster in a label, those of v1beta2 in spec.clusterName. Used by
// the converter only. Pure.
#pragma once

#include <boost/json/fwd.hpp>

namespace capstan::api::v1beta1 {

// An annotation says whether the label was the converter's own; that one is removed again.
void take_cluster_from_label(boost::json::object& document);
void put_cluster_into_label(boost::json::object& document);

}  // namespace capstan::api::v1beta1
