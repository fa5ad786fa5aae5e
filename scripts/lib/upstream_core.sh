# Builds upstream's core manager from test/envtest/cluster-api/go.mod into the cache folder of the servers, for figures that
# compare with it. Sourced after real_servers.sh; `find_upstream_core` sets $upstream, a folder that holds the program `core`
# and its CRDs, `crds`. CAPSTAN_UPSTREAM, where set, wins.

find_upstream_core() {
  upstream=${CAPSTAN_UPSTREAM:-$cache_folder/core-$(upstream_fingerprint)}
  has_upstream_core && return
  [[ -z ${CAPSTAN_UPSTREAM:-} ]] || die "CAPSTAN_UPSTREAM=$upstream lacks an executable core or the folder crds"
  build_once build_upstream_core
}

# Of what is built, and of how: this file.
upstream_fingerprint() {
  cat "$root"/test/envtest/cluster-api/go.{mod,sum} "$root/scripts/lib/upstream_core.sh" | sha256sum | cut -c1-16
}

has_upstream_core() { [[ -x $upstream/core && -d $upstream/crds ]]; }

build_upstream_core() {
  has_upstream_core && return
  local partial=$upstream.partial
  rm -rf "$partial"
  mkdir -p "$partial/crds"
  say "building upstream's core manager into $upstream: once, two to eight minutes on two cores"
  cluster_api go mod download sigs.k8s.io/cluster-api sigs.k8s.io/controller-runtime
  keep_webhooks_on_loopback "$partial"
  build_module cluster-api "$partial/core" sigs.k8s.io/cluster-api/core -modfile "$partial/go.mod"
  cp "$(module_folder sigs.k8s.io/cluster-api)"/core/config/crd/bases/*.yaml "$partial/crds/"
  rm -rf "$upstream" "$partial/controller-runtime" "$partial"/go.*
  mv "$partial" "$upstream"
}

cluster_api() { (cd "$root/test/envtest/cluster-api" && GOFLAGS=-mod=readonly GOWORK=off "$@"); }

module_folder() { cluster_api go list -m -f '{{.Dir}}' "$1"; }

# It has no flag for the address its webhooks listen at, and takes port 0 for "the usual one": here it is any on loopback.
keep_webhooks_on_loopback() {
  local folder=$1 server
  cp -r "$(module_folder sigs.k8s.io/controller-runtime)" "$folder/controller-runtime"
  chmod -R u+w "$folder/controller-runtime"
  server=$folder/controller-runtime/pkg/webhook/server.go
  sed -i 's|if o.Port <= 0 {|o.Host = "127.0.0.1"; if o.Port < 0 {|' "$server"
  grep -q 'o.Host = "127.0.0.1"' "$server" || die "$server: the line that sets the port is not there any more"
  cp "$root"/test/envtest/cluster-api/go.{mod,sum} "$folder/"
  cluster_api go mod edit -replace "sigs.k8s.io/controller-runtime=$folder/controller-runtime" "$folder/go.mod"
}
