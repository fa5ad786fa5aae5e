// What the Nodes of a NodeConfig read: its spec as JSON with a checksum, in a Secret in kube-system of the
// workload cluster. Pure.
#pragma once

#include <boost/json/fwd.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "api/bootstrap/node_config.h"
#include "api/meta/object_key.h"
#include "base/time.h"

namespace capstan::bootstrap::nodeconfig {

// A Secret holds 1 MiB, and names and annotations need room, too.
inline constexpr std::size_t kLargestContent = 1000UL * 1024UL;

struct Content {
  std::string text = {};
  std::string checksum = {};  // SHA-256 of the text, in hex
  bool operator==(const Content&) const = default;
};
// Without spec.agent, which counts at birth only, and spec.apply.maxFailed, which no Node asks about: a
// change of these is no change of the Nodes.
Content content_of(const api::NodeConfigSpec& spec);

// What objects that are made for that NodeConfig are labelled with.
boost::json::object labels_for(const api::ObjectKey& node_config);
bool has_labels(const boost::json::value& object, const api::ObjectKey& node_config);

// The Secret of that NodeConfig.
api::ObjectKey secret_key(const api::ObjectKey& node_config);

// Which Nodes may apply the content, and since when it stands there.
struct Release {
  std::string text = {};  // api/bootstrap/node_config_release.h
  Time since = {};
  bool operator==(const Release&) const = default;
};

// The whole Secret, ready to be created.
boost::json::value secret_object(const api::ObjectKey& node_config, const Content& content,
                                 const Release& release);
// Content and release for the Secret that is there, or its release alone; a conflict when it is not of that
// version any more.
boost::json::value content_patch(const api::ObjectKey& node_config, const Content& content,
                                 const Release& release, std::string_view version);
boost::json::value release_patch(const Release& release, std::string_view version);

// The Secret as it is stored.
struct SecretSeen {
  std::string version = {};
  bool right = false;  // content and labels are as they should be
  Release release = {};
};
SecretSeen seen_in(const boost::json::value& secret, const api::ObjectKey& node_config,
                   const Content& content);

}  // namespace capstan::bootstrap::nodeconfig
