// What one informer of cluster-autoscaler holds: a collection, listed from the server's cache once and
// watched from there on. Where the watch has ended the next question lists anew. items() is for one thread.
#pragma once

#include <boost/json.hpp>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/deadline.h"
#include "base/guarded.h"
#include "base/result.h"
#include "kube/remote_client.h"
#include "kube/resource.h"
#include "net/line_framer.h"

namespace capstan::envtest {

class AutoscalerInformer final : public kube::StreamSink {
 public:
  AutoscalerInformer(kube::RemoteClient& client, kube::Resource resource, std::string scope)
      : client_(client), resource_(std::move(resource)), namespace_(std::move(scope)) {}

  Result<boost::json::array> items(const Deadline& deadline);

  void on_bytes(std::string_view bytes) override;
  void on_end(Result<void> outcome) override;

 private:
  struct Held {
    std::map<std::string, boost::json::value> objects = {};  // by "namespace/name"
    bool is_watched = false;
  };

  Result<void> begin(const Deadline& deadline);
  void on_event(std::string_view line);

  kube::RemoteClient& client_;
  const kube::Resource resource_;
  const std::string namespace_;
  net::LineFramer framer_;
  Guarded<Held> held_;
  std::unique_ptr<kube::Stream> stream_;  // last: its end is the end of all calls to us
};

}  // namespace capstan::envtest
