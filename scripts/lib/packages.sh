# Debian packages: which of them are missing, and how to get them. Sourced after say.sh; used by install-deps only.

build_packages=(
  g++ cmake ninja-build ccache mold pkg-config
  libboost1.81-dev libboost-json1.81-dev
  libssl-dev zlib1g-dev libcpp-httplib-dev prometheus-cpp-dev libyaml-cpp-dev libfmt-dev
  libgtest-dev libgmock-dev libbenchmark-dev
  openssl tzdata
)
tool_packages=(clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev shellcheck)

go_packages=(ca-certificates curl unzip)

missing_packages() {
  local installed package
  installed=$(dpkg-query --show --showformat '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null |
    sed -n 's/ installed$//p') || true
  for package in "$@"; do
    grep -qxF -- "$package" <<<"$installed" || printf '%s\n' "$package"
  done
}

is_installed() { [[ -z $(missing_packages "$1") ]]; }

as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "root is needed, and there is no sudo: run as root: $*"
  fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=600 "$@" >&2; }
