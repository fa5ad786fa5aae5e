// Any bytes as a kubeconfig: reading never crashes and an error says something; what is read and can be
// written is read back as the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kubeconfig/kubeconfig.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(bytes), size);
  const auto config = capstan::kubeconfig::parse(text);
  if (!config) {
    if (config.error().message.empty()) std::abort();
    return 0;
  }
  const auto written = capstan::kubeconfig::render(*config);
  if (!written) return 0;
  const auto back = capstan::kubeconfig::parse(written->reveal());
  if (!back) std::abort();
  const auto again = capstan::kubeconfig::render(*back);
  if (!again || again->reveal() != written->reveal()) std::abort();
  return 0;
}
