#include "apiserver/schema/pattern.h"

#include <boost/regex.hpp>

namespace capstan::apiserver {
namespace {

class BoostPattern final : public Pattern {
 public:
  explicit BoostPattern(const std::string& text)
      : regex_(text, boost::regex::perl | boost::regex::no_mod_m) {}
  bool found_in(std::string_view text) const override {
    try {
      return boost::regex_search(text.begin(), text.end(), regex_, boost::match_single_line);
    } catch (const std::runtime_error&) {
      return false;
    }
  }

 private:
  boost::regex regex_;
};

}  // namespace

std::shared_ptr<const Pattern> Pattern::compile(const std::string& text) {
  try {
    return std::make_shared<BoostPattern>(text);
  } catch (const boost::regex_error&) {
    return nullptr;
  }
}

}  // namespace capstan::apiserver
