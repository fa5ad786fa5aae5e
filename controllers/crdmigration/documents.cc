#include "controllers/crdmigration/documents.h"

namespace capstan::controllers::crdmigration {

std::string text_at(const json::value& document, std::string_view pointer) {
  json::error_code none;
  const auto* found = document.find_pointer(pointer, none);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

const json::array& list_at(const json::value& document, std::string_view pointer) {
  static const json::array kNone;
  json::error_code none;
  const auto* found = document.find_pointer(pointer, none);
  return found != nullptr && found->is_array() ? found->get_array() : kNone;
}

}  // namespace capstan::controllers::crdmigration
