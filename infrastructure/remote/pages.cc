#include "infrastructure/remote/pages.h"

#include <algorithm>

#include "api/schema/encode.h"
#include "infrastructure/remote/protocol.h"
#include "infrastructure/remote/wire.h"

namespace capstan::infrastructure::remote {
namespace {

constexpr std::size_t kUsualPageBytes = kMostPageBytes / 2;

}  // namespace

ListAnswer page_of(std::vector<Vm> vms, std::string_view after) {
  std::ranges::sort(vms, {}, &Vm::provider_id);
  ListAnswer page;
  std::size_t bytes = 0;
  for (auto vm = std::ranges::upper_bound(vms, after, {}, &Vm::provider_id); vm != vms.end(); ++vm) {
    if (bytes >= kUsualPageBytes) {
      page.continue_ = page.vms.back().provider_id;
      break;
    }
    bytes += api::encode(page.vms.emplace_back(message_of(*vm))).size();
  }
  return page;
}

}  // namespace capstan::infrastructure::remote
