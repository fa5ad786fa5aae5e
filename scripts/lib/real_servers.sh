# Builds kube-apiserver, kube-controller-manager, kubectl and etcd from test/envtest/{kubernetes,etcd}/go.mod into a cache
# folder outside the tree, once per content of those files. Sourced after say.sh; `find_real_servers` sets $assets.
# KUBEBUILDER_ASSETS, where set, wins.
source "$root/scripts/lib/go.sh"

kubernetes_version=$(sed -n 's|^.*k8s.io/kubernetes v\([0-9.]*\)$|\1|p' "$root/test/envtest/kubernetes/go.mod" | head -n 1)
cache_folder=${CAPSTAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/capstan}/envtest

# Servers that do not know their version are refused by kubectl, clusterctl and Cluster API's managers.
link_flags() {
  local stamp=k8s.io/component-base/version major minor
  IFS=. read -r major minor _ <<<"$kubernetes_version"
  printf '%s' "-s -w -X $stamp.gitVersion=v$kubernetes_version -X $stamp.gitMajor=$major -X $stamp.gitMinor=$minor" \
    " -X $stamp.gitTreeState=archive -X $stamp.gitCommit=module"
}

find_real_servers() {
  if [[ -n ${KUBEBUILDER_ASSETS:-} ]]; then
    assets=$KUBEBUILDER_ASSETS
    holds_programs "$assets" kube-apiserver etcd kubectl ||
      die "KUBEBUILDER_ASSETS=$assets lacks an executable kube-apiserver, etcd or kubectl"
    return
  fi
  assets=$cache_folder/$(fingerprint)/bin
  is_complete "$assets" || build_once build_servers
}

# Sets $kubectl. Where the servers are not built, it alone is: kubectl renders config/, for scripts/package.
find_kubectl() {
  local folder=${KUBEBUILDER_ASSETS:-$cache_folder/$(fingerprint)/bin}
  if ! holds_programs "$folder" kubectl; then
    folder=$cache_folder/kubectl-$(fingerprint)
    holds_programs "$folder" kubectl || build_once build_kubectl
  fi
  kubectl=$folder/kubectl
}

build_kubectl() {
  local folder=$cache_folder/kubectl-$(fingerprint)
  holds_programs "$folder" kubectl && return
  mkdir -p "$folder.partial"
  build_module kubernetes "$folder.partial/kubectl" k8s.io/kubernetes/cmd/kubectl
  rm -rf "$folder"
  mv "$folder.partial" "$folder"
}

fingerprint() {
  { cat "$root"/test/envtest/{kubernetes,etcd}/go.{mod,sum} && link_flags; } | sha256sum | cut -c1-16
}

is_complete() { holds_programs "$1" kube-apiserver kube-controller-manager kubectl etcd; }

holds_programs() {
  local folder=$1 program
  shift
  for program in "$@"; do
    [[ -x $folder/$program ]] || return 1
  done
}

# Two runs at once: the second one waits for the first and then finds everything in place.
build_once() {
  local build=$1 lock
  use_go
  mkdir -p "$cache_folder"
  exec {lock}>"$cache_folder/lock"
  if ! flock --nonblock "$lock"; then
    say "another run is building: waiting for it"
    flock "$lock"
  fi
  "$build"
  exec {lock}>&-
}

build_servers() {
  is_complete "$assets" && return
  local partial=$assets.partial
  rm -rf "$partial"
  mkdir -p "$partial"
  say "building kube-apiserver, kube-controller-manager, kubectl v$kubernetes_version and etcd into $assets"
  say "once: five to fifteen minutes on two cores"
  build_module etcd "$partial/etcd" go.etcd.io/etcd/server/v3
  local program
  for program in kubectl kube-apiserver kube-controller-manager; do
    build_module kubernetes "$partial/$program" "k8s.io/kubernetes/cmd/$program"
  done
  rm -rf "$assets"
  mv "$partial" "$assets"
}

# build_module FOLDER PROGRAM PACKAGE [BUILD_FLAG...]
build_module() {
  local module=$1 program=$2 package=$3 name log watcher
  shift 3
  name=$(basename "$program")
  log=$program.log
  say "$name: fetching modules and compiling"
  report_progress "$name" "$log" &
  watcher=$!
  if ! (cd "$root/test/envtest/$module" && CGO_ENABLED=0 GOFLAGS='-mod=readonly -buildvcs=false' GOWORK=off \
    nice -n 5 go build -v -trimpath -ldflags "$(link_flags)" "$@" -o "$program" "$package") >"$log" 2>&1; then
    stop_watcher "$watcher"
    tail -n 40 "$log" >&2
    die "building $name failed (whole output: $log)"
  fi
  stop_watcher "$watcher"
  say "$name: built, ${SECONDS}s since the start"
  rm -f "$log"
}

# `go build -v` writes one line per package it compiles. Waits without a child process, which would outlive the watcher.
report_progress() {
  local name=$1 log=$2 never _
  exec {never}<> <(:)
  while ! read -r -t 15 _ <&"$never" && kill -0 $$ 2>/dev/null; do
    say "$name: $(wc -l <"$log") modules fetched or packages compiled, ${SECONDS}s since the start"
  done
}

stop_watcher() {
  kill "$1" 2>/dev/null || true
  wait "$1" 2>/dev/null || true
}
