// A client that is not to be called: every verb answers NotConnected.
#pragma once

#include <boost/json.hpp>

#include "kube/client.h"

namespace capstan::bench {

class IdleClient final : public kube::Client {
  using json_value = boost::json::value;
  static Failure nobody() { return fail(Code::NotConnected, "there is no server"); }

 public:
  Result<json_value> get(const kube::Resource&, const kube::ObjectKey&, const Deadline&) override {
    return nobody();
  }
  Result<json_value> list(const kube::Resource&, const kube::ListOptions&, const Deadline&) override {
    return nobody();
  }
  Result<json_value> create(const kube::Resource&, const kube::ObjectKey&, const json_value&,
                            const kube::WriteOptions&, const Deadline&) override {
    return nobody();
  }
  Result<json_value> replace(const kube::Resource&, const kube::ObjectKey&, const json_value&,
                             std::string_view, const kube::WriteOptions&, const Deadline&) override {
    return nobody();
  }
  Result<json_value> patch(const kube::Resource&, const kube::ObjectKey&, const json_value&,
                           const kube::PatchOptions&, const Deadline&) override {
    return nobody();
  }
  Result<void> remove(const kube::Resource&, const kube::ObjectKey&, const kube::DeleteOptions&,
                      const Deadline&) override {
    return nobody();
  }
  Result<void> evict(const kube::ObjectKey&, const kube::DeleteOptions&, const Deadline&) override {
    return nobody();
  }
  Result<json_value> get_path(std::string_view, const Deadline&) override { return nobody(); }
  Result<json_value> post_path(std::string_view, const json_value&, const Deadline&) override {
    return nobody();
  }
  std::unique_ptr<kube::Stream> list_stream(const kube::Resource&, const kube::ListOptions&,
                                            kube::StreamSink&) override {
    return nullptr;
  }
  std::unique_ptr<kube::Stream> watch(const kube::Resource&, const kube::WatchOptions&,
                                      kube::StreamSink&) override {
    return nullptr;
  }
};

}  // namespace capstan::bench
