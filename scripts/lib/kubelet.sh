# Builds kubelet from test/envtest/kubelet/go.mod into the cache folder of the servers: a static program, for a machine that
# is a folder. Sourced after real_servers.sh; `find_kubelet` sets $kubelet. CAPSTAN_KUBELET, where set, wins.

find_kubelet() {
  kubelet=${CAPSTAN_KUBELET:-$cache_folder/kubelet-$(kubelet_fingerprint)/kubelet}
  [[ -x $kubelet ]] && return
  [[ -z ${CAPSTAN_KUBELET:-} ]] || die "CAPSTAN_KUBELET=$kubelet is no program"
  build_once build_kubelet
}

kubelet_fingerprint() {
  { cat "$root"/test/envtest/kubelet/go.{mod,sum} && link_flags; } | sha256sum | cut -c1-16
}

build_kubelet() {
  [[ -x $kubelet ]] && return
  local folder
  folder=$(dirname "$kubelet")
  mkdir -p "$folder.partial"
  say "building kubelet v$kubernetes_version: once, one to six minutes on two cores"
  build_module kubelet "$folder.partial/kubelet" k8s.io/kubernetes/cmd/kubelet
  rm -rf "$folder"
  mv "$folder.partial" "$folder"
}
