# Builds clusterctl from test/envtest/clusterctl/go.mod into the cache folder of the servers. Sourced after real_servers.sh;
# `find_clusterctl` sets $clusterctl. CAPSTAN_CLUSTERCTL, where set, wins.

clusterctl_version=$(sed -n 's|^.*sigs.k8s.io/cluster-api v\([0-9.]*\)$|\1|p' "$root/test/envtest/clusterctl/go.mod" | head -n 1)

find_clusterctl() {
  local folder
  folder=$cache_folder/clusterctl-$(clusterctl_fingerprint)
  clusterctl=${CAPSTAN_CLUSTERCTL:-$folder/clusterctl}
  [[ -x $clusterctl ]] && return
  [[ -z ${CAPSTAN_CLUSTERCTL:-} ]] || die "CAPSTAN_CLUSTERCTL=$clusterctl is no program"
  build_once build_clusterctl
}

# Of what is built, and of how: this file.
clusterctl_fingerprint() {
  cat "$root"/test/envtest/clusterctl/go.{mod,sum} "$root/scripts/lib/clusterctl.sh" | sha256sum | cut -c1-16
}

build_clusterctl() {
  [[ -x $clusterctl ]] && return
  local folder
  folder=$(dirname "$clusterctl")
  mkdir -p "$folder.partial"
  say "building clusterctl v$clusterctl_version: once, one to four minutes on two cores"
  build_module clusterctl "$folder.partial/clusterctl" sigs.k8s.io/cluster-api/cmd/clusterctl \
    -ldflags "$(clusterctl_link_flags)"
  rm -rf "$folder"
  mv "$folder.partial" "$folder"
}

# It compares its own version with those of the providers it installs.
clusterctl_link_flags() {
  local stamp=sigs.k8s.io/cluster-api/version major minor
  IFS=. read -r major minor _ <<<"$clusterctl_version"
  printf '%s' "-s -w -X $stamp.gitVersion=v$clusterctl_version -X $stamp.gitMajor=$major -X $stamp.gitMinor=$minor" \
    " -X $stamp.gitTreeState=archive -X $stamp.gitCommit=module"
}
