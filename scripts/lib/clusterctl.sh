# Builds clusterctl from test/envtest/clusterctl/go.mod into the cache folder of the servers, and beside it renders upstream's own
# package of that release (upstream/core-components.yaml, upstream/metadata.yaml), which upgrades start from. Sourced after
# real_servers.sh; `find_clusterctl` sets $clusterctl. CAPSTAN_CLUSTERCTL, where set, wins.

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
  render_upstream_package "$folder.partial/upstream"
  rm -rf "$folder"
  mv "$folder.partial" "$folder"
}

render_upstream_package() {
  local module
  module=$(cd "$root/test/envtest/clusterctl" && GOFLAGS=-mod=readonly GOWORK=off go list -m -f '{{.Dir}}' sigs.k8s.io/cluster-api)
  mkdir -p "$1"
  find_kubectl
  "$kubectl" kustomize "$module/core/config/default" >"$1/core-components.yaml"
  cp "$module/metadata.yaml" "$1/"
}

# It compares its own version with those of the providers it installs.
clusterctl_link_flags() {
  local stamp=sigs.k8s.io/cluster-api/version major minor
  IFS=. read -r major minor _ <<<"$clusterctl_version"
  printf '%s' "-s -w -X $stamp.gitVersion=v$clusterctl_version -X $stamp.gitMajor=$major -X $stamp.gitMinor=$minor" \
    " -X $stamp.gitTreeState=archive -X $stamp.gitCommit=module"
}
