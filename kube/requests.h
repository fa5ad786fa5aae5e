// The verbs of kube/client.h as HTTP requests: method, path and query, content type, body. Names are checked
// here, so that nothing an object carries can reach another path. Pure functions; RemoteClient sends what
// they build.
#pragma once

#include <boost/json/fwd.hpp>
#include <chrono>
#include <string_view>

#include "base/result.h"
#include "kube/request_options.h"
#include "kube/resource.h"
#include "net/http_message.h"

namespace capstan::kube::requests {

namespace json = boost::json;

Result<net::HttpRequest> get(const Resource& resource, const ObjectKey& key);
Result<net::HttpRequest> list(const Resource& resource, const ListOptions& options);
Result<net::HttpRequest> watch(const Resource& resource, const WatchOptions& options);
Result<net::HttpRequest> create(const Resource& resource, const ObjectKey& key, const json::value& object,
                                const WriteOptions& options);
Result<net::HttpRequest> replace(const Resource& resource, const ObjectKey& key, const json::value& object,
                                 std::string_view subresource, const WriteOptions& options);
Result<net::HttpRequest> patch(const Resource& resource, const ObjectKey& key, const json::value& body,
                               const PatchOptions& options);
Result<net::HttpRequest> remove(const Resource& resource, const ObjectKey& key, const DeleteOptions& options);
Result<net::HttpRequest> evict(const ObjectKey& pod, const DeleteOptions& options);
// `path` may have a query.
Result<net::HttpRequest> get_path(std::string_view path);
Result<net::HttpRequest> post_path(std::string_view path, const json::value& body);

// Asks the server to give up after `span`, so that an unknown outcome is known to be over then.
void limit_server_time(net::HttpRequest& request, std::chrono::nanoseconds span);

}  // namespace capstan::kube::requests
