// The keys that Capstan alone writes on Kubernetes objects, and how an object is rid of them. Pure. Used by
// `capstan cleanup`; test/lint holds the list against every key below capstan.dev in the sources.
#pragma once

#include <boost/json/fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace capstan::manager {

// Labels, annotations, taints, finalizers and types of conditions. Keys of Cluster API are not among them:
// its own manager writes the same ones and goes on with them. removal_patch() takes off two keys of others,
// too, where a value or another key marks them as ours.
std::span<const std::string_view> own_keys();

// What an object has of ours: "annotation capstan.dev/victims", "taint ...", "cordon", ...
std::vector<std::string> found_on(const boost::json::value& object);
// The merge patches that take it off, of the object and of its status; nothing where there is nothing to
// take. Where one replaces a list it is bound to the version of the object.
std::optional<boost::json::value> removal_patch(const boost::json::value& object);
std::optional<boost::json::value> status_removal_patch(const boost::json::value& object);

}  // namespace capstan::manager
