#include "test/envtest/pod_process.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/json.hpp>
#include <fstream>
#include <system_error>

#include "base/try.h"

namespace capstan::envtest {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

// Arguments: root, group, user, count of programs, programs, then the command with its environment. Mounts
// are seen by this process alone and go with it. The kernel forgets the wish to die with the parent when the
// user changes, so setpriv says it anew.
constexpr std::string_view kEnter = R"(
root=$1 user=$2 group=$3 programs=$4
shift 4
mount --bind /usr "$root/usr"
while [ "$programs" -gt 0 ]; do
  touch "$root/${1##*/}"
  mount --bind "$1" "$root/${1##*/}"
  shift
  programs=$((programs - 1))
done
exec chroot "$root" /usr/bin/setpriv --reuid="$user" --regid="$group" --clear-groups --pdeathsig=KILL /usr/bin/env -i "$@"
)";

std::string field_text(const json::value& document, std::string_view pointer) {
  boost::system::error_code absent;
  const auto* found = document.find_pointer(pointer, absent);
  if (found == nullptr || found->is_null()) return {};
  return found->is_string() ? std::string(found->as_string()) : json::serialize(*found);
}

json::array field_list(const json::value& document, std::string_view pointer) {
  boost::system::error_code absent;
  const auto* found = document.find_pointer(pointer, absent);
  return found != nullptr && found->is_array() ? found->as_array() : json::array();
}

Result<std::string> value_of(const json::value& variable, const PodFacts& facts) {
  if (variable.as_object().contains("value")) return field_text(variable, "/value");
  const std::string field = field_text(variable, "/valueFrom/fieldRef/fieldPath");
  if (field == "metadata.name") return facts.name;
  if (field == "metadata.namespace") return facts.namespace_;
  if (field == "metadata.uid") return facts.uid;
  return fail(Code::Invalid, "no value for the environment variable " + json::serialize(variable));
}

Result<void> write_files(const PodFiles& files) {
  std::error_code failed;
  fs::create_directories(files.root / "usr", failed);
  for (const char* name : {"bin", "lib", "lib64"})
    fs::create_directory_symlink(fmt::format("usr/{}", name), files.root / name, failed);
  for (const auto& [path, content] : files.files) {
    const fs::path file = files.root / fs::path(path).relative_path();
    fs::create_directories(file.parent_path(), failed);
    std::ofstream stream(file, std::ios::binary);
    stream << content;
    if (!stream) return fail(Code::Internal, "cannot write " + file.string());
  }
  return {};
}

}  // namespace

Result<ContainerCommand> command_of(const json::value& deployment, std::string_view container,
                                    const PodFacts& facts) {
  const auto containers = field_list(deployment, "/spec/template/spec/containers");
  const auto found = std::ranges::find(containers, container,
                                       [](const json::value& one) { return field_text(one, "/name"); });
  if (found == containers.end()) return fail(Code::NotFound, fmt::format("no container {}", container));
  ContainerCommand command{.user = field_text(*found, "/securityContext/runAsUser"),
                           .group = field_text(*found, "/securityContext/runAsGroup")};
  for (const auto* part : {"/command", "/args"})
    for (const auto& word : field_list(*found, part)) command.argv.emplace_back(word.as_string());
  for (const auto& variable : field_list(*found, "/env"))
    command.environment.push_back(field_text(variable, "/name") + "=" + TRY(value_of(variable, facts)));
  return command;
}

Result<ChildProcess> start_container(const ContainerCommand& command, const PodFiles& files,
                                     const fs::path& log) {
  TRY(write_files(files));
  std::vector<std::string> argv = {
      "unshare", "--mount",  "sh",         "-ec",         std::string(kEnter),
      "enter",   files.root, command.user, command.group, std::to_string(files.programs.size())};
  argv.insert(argv.end(), files.programs.begin(), files.programs.end());
  argv.insert(argv.end(), command.environment.begin(), command.environment.end());
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  return ChildProcess::start({.argv = std::move(argv)}, log);
}

}  // namespace capstan::envtest
