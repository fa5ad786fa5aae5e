# How every script here talks: progress and errors on stderr, lower-case, the answer (if there is one) on stdout.
# Sourced; expects bash with -euo pipefail. Sets $root, the top of the checkout.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
me=$(basename "$0")

say() { printf '%s: %s\n' "$me" "$*" >&2; }

die() {
  say "$*"
  exit 1
}

# The comment block at the top of the calling script is its --help.
show_help() { sed -n '2,/^[^#]/{/^#/s/^# \{0,1\}//p}' "$0"; }

wants_help() {
  local argument
  for argument in "$@"; do
    case $argument in
      --) return 1 ;;
      -h | --help) return 0 ;;
    esac
  done
  return 1
}

is_preset() {
  case $1 in
    dev | release | asan | tsan) return 0 ;;
    *) return 1 ;;
  esac
}
