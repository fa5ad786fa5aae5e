#include "apiserver/store/watch.h"

namespace capstan::apiserver {

std::string_view to_string(EventType type) {
  switch (type) {
    case EventType::Added: return "ADDED";
    case EventType::Modified: return "MODIFIED";
    case EventType::Deleted: return "DELETED";
    case EventType::Bookmark: return "BOOKMARK";
    case EventType::Error: return "ERROR";
  }
  return "";
}

std::string WatchEvent::line() const {
  std::string line = "{\"type\":\"";
  line += to_string(type);
  line += "\",\"object\":";
  line += json::serialize(*object);
  line += "}\n";
  return line;
}

}  // namespace capstan::apiserver
