# Builds upstream's kubeadm bootstrap provider, kubeadm control plane provider and in-memory infrastructure provider from
# test/envtest/neighbours/go.mod into the cache folder of the servers, and beside them renders their packages as a local
# repository of clusterctl (repository/PROVIDER/VERSION/). Sourced after real_servers.sh; `find_neighbours` sets $neighbours,
# the folder. CAPSTAN_NEIGHBOURS, where set, wins.

neighbours_version=v$(sed -n 's|^.*sigs.k8s.io/cluster-api => sigs.k8s.io/cluster-api v\([0-9.]*\)$|\1|p' \
  "$root/test/envtest/neighbours/go.mod")

find_neighbours() {
  neighbours=${CAPSTAN_NEIGHBOURS:-$cache_folder/neighbours-$(neighbours_fingerprint)}
  has_neighbours && return
  [[ -z ${CAPSTAN_NEIGHBOURS:-} ]] || die "CAPSTAN_NEIGHBOURS=$neighbours lacks a program or the folder repository"
  build_once build_neighbours
}

# Of what is built, and of how: this file.
neighbours_fingerprint() {
  cat "$root"/test/envtest/neighbours/go.{mod,sum} "$root/scripts/lib/neighbours.sh" | sha256sum | cut -c1-16
}

has_neighbours() {
  holds_programs "$neighbours" bootstrap-kubeadm control-plane-kubeadm infrastructure-docker &&
    [[ -d $neighbours/repository ]]
}

build_neighbours() {
  has_neighbours && return
  local partial=$neighbours.partial core=sigs.k8s.io/cluster-api tests=sigs.k8s.io/cluster-api/test
  rm -rf "$partial"
  mkdir -p "$partial"
  say "building upstream's providers $neighbours_version into $neighbours: once, two to eight minutes on two cores"
  find_kubectl
  one_neighbour bootstrap-kubeadm bootstrap "$core" bootstrap/kubeadm
  one_neighbour control-plane-kubeadm control-plane "$core" controlplane/kubeadm
  one_neighbour infrastructure-docker infrastructure "$tests" infrastructure/docker
  rm -rf "$neighbours"
  mv "$partial" "$neighbours"
}

# one_neighbour PROVIDER TYPE MODULE FOLDER: its program, and its package in the layout that clusterctl reads.
one_neighbour() {
  local provider=$1 type=$2 module=$3 folder=$4 package source
  build_module neighbours "$partial/$provider" "$module/$folder"
  package=$partial/repository/$provider/$neighbours_version
  mkdir -p "$package"
  source=$(neighbour_module "$module")
  "$kubectl" kustomize "$source/$folder/config/default" >"$package/$type-components.yaml"
  cp "$(neighbour_module sigs.k8s.io/cluster-api)/metadata.yaml" "$package/"
}

neighbour_module() {
  (cd "$root/test/envtest/neighbours" && GOFLAGS=-mod=readonly GOWORK=off go list -m -f '{{.Dir}}' "$1")
}
