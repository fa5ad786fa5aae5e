# The Go toolchain that builds foreign servers: the one of PATH when it is new enough, else one of our own, fetched once
# as the module golang.org/toolchain and checked against the sum below. Sourced after say.sh.

go_version=1.26.8
declare -A go_sums=(
  [amd64]=30c2b1bf7dcc88d3eb0a1364e47ddd9128edb3110a30e8a0ef61cd5856b31de7
  [arm64]=02b36b6787b3ac767668f630e2998df45a3b1f9ffee08d1bf3ef6487cd658d99
)
go_folder=${CAPSTAN_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/capstan}/go-$go_version

# Afterwards `go` is Go 1.21 or newer, which fetches the toolchain that a go.mod asks for.
use_go() {
  is_new_enough && return
  [[ -x $go_folder/bin/go ]] || "$root/scripts/install-deps" --go
  PATH=$go_folder/bin:$PATH
  is_new_enough || die "$go_folder/bin/go does not run: remove $go_folder and try again, or install Go 1.21 or newer"
}

is_new_enough() {
  local minor
  command -v go >/dev/null || return 1
  minor=$(cd / && GOTOOLCHAIN=local go env GOVERSION 2>/dev/null | sed -n 's/^go1\.\([0-9]*\).*$/\1/p')
  [[ -n $minor && $minor -ge 21 ]]
}

install_go() {
  [[ -x $go_folder/bin/go ]] && return
  local machine partial=$go_folder.partial
  machine=$(uname -m | sed 's/x86_64/amd64/; s/aarch64/arm64/')
  [[ -n ${go_sums[$machine]:-} ]] || die "no Go toolchain is known for $machine: install Go 1.21 or newer"
  say "fetching Go $go_version into $go_folder"
  rm -rf "$partial"
  mkdir -p "$partial"
  curl --fail --silent --show-error --location --retry 3 -o "$partial/go.zip" "$(go_url "$machine")" ||
    die "Go $go_version can't be fetched: install Go 1.21 or newer, or set KUBEBUILDER_ASSETS"
  sha256sum --check --status <<<"${go_sums[$machine]}  $partial/go.zip" ||
    die "$(go_url "$machine") is not what it was: its SHA-256 differs from the one in scripts/lib/go.sh"
  unzip -q "$partial/go.zip" -d "$partial"
  mv "$partial/golang.org/toolchain@v0.0.1-go$go_version.linux-$machine" "$go_folder"
  # A module's files are not executable.
  chmod +x "$go_folder"/bin/* "$go_folder"/pkg/tool/linux_"$machine"/*
  rm -rf "$partial"
}

go_url() {
  local proxy=${GOPROXY:-https://proxy.golang.org}
  printf '%s/golang.org/toolchain/@v/v0.0.1-go%s.linux-%s.zip' "${proxy%%[,|]*}" "$go_version" "$1"
}
