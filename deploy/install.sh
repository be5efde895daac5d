#!/bin/sh
# Installs the standalone executable of Assay: downloads it, checks its SHA-256 sum, starts it once, and moves it into a
# folder of PATH.
#   ASSAY_VERSION      version to install, such as 0.1.0; by default the latest
#   ASSAY_INSTALL_DIR  folder for the executable; by default ~/.local/bin
#   ASSAY_RELEASE_URL  where the files of a release are; overrides ASSAY_VERSION
set -eu

releases=https://github.com/assay-eval/assay/releases

fail() {
  echo "error: $1" >&2
  [ $# -lt 2 ] || echo "  $2" >&2
  exit 1
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# A function, so a script that arrived in part does nothing.
main() {
  arch=$(architecture)
  refuse_musl
  url=${ASSAY_RELEASE_URL:-}
  if [ -z "$url" ]; then
    url=$releases/latest/download
    [ -z "${ASSAY_VERSION:-}" ] || url=$releases/download/v${ASSAY_VERSION#v}
  fi
  folder=${ASSAY_INSTALL_DIR:-${HOME:?Set HOME or ASSAY_INSTALL_DIR.}/.local/bin}
  mkdir -p "$folder" || fail "The folder $folder could not be created." 'Set ASSAY_INSTALL_DIR to another folder.'
  # In the same folder, so the executable is replaced in one step.
  work=$(mktemp -d "$folder/.assay-install.XXXXXX") ||
    fail "The folder $folder cannot be written to." 'Set ASSAY_INSTALL_DIR to another folder.'
  trap 'rm -rf "$work"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM

  name=assay-linux-$arch
  download "$url/SHA256SUMS" "$work/SHA256SUMS"
  download "$url/$name.gz" "$work/$name.gz"
  check "$work" "$name.gz"
  has gzip || fail 'gzip is missing.' 'Install gzip.'
  gzip -d "$work/$name.gz"
  check "$work" "$name"
  chmod 755 "$work/$name"
  version=$("$work/$name" --version) ||
    fail "The executable does not start on this machine." 'It needs glibc 2.28 or newer. With Node.js: npm install --global assay'
  mv -f "$work/$name" "$folder/assay"
  echo "Installed Assay $version: $folder/assay"
  case :${PATH:-}: in
    *":$folder:"*) ;;
    *) echo "Add $folder to PATH to start it as assay." ;;
  esac
}

architecture() {
  system=$(uname -s)
  [ "$system" = Linux ] ||
    fail "There is no executable for $system." 'With Node.js: npm install --global assay'
  machine=$(uname -m)
  case $machine in
    x86_64 | amd64) echo x64 ;;
    aarch64 | arm64) echo arm64 ;;
    *) fail "There is no executable for $machine." 'With Node.js: npm install --global assay' ;;
  esac
}

refuse_musl() {
  if has ldd && ldd --version 2>&1 | grep -qi musl; then
    fail 'The executable needs glibc, and this system has musl.' 'With Node.js: npm install --global assay'
  fi
}

download() {
  if has curl; then
    curl --fail --silent --show-error --location --retry 3 --output "$2" "$1" || fail "$1 could not be downloaded."
  elif has wget; then
    wget --quiet --output-document="$2" "$1" || fail "$1 could not be downloaded."
  else
    fail 'curl and wget are both missing.' 'Install one of them.'
  fi
}

# check <folder> <name>: compares a file with SHA256SUMS of the same folder.
check() {
  expected=$(awk -v name="$2" '$2 == name { print $1 }' "$1/SHA256SUMS")
  [ ${#expected} -eq 64 ] || fail "SHA256SUMS has no sum of $2." 'Nothing was installed.'
  if has sha256sum; then
    actual=$(sha256sum "$1/$2")
  elif has shasum; then
    actual=$(shasum -a 256 "$1/$2")
  elif has openssl; then
    actual=$(openssl dgst -sha256 -r "$1/$2")
  else
    fail 'sha256sum, shasum and openssl are all missing.' 'Install one of them.'
  fi
  [ "${actual%% *}" = "$expected" ] ||
    fail "$2 has the SHA-256 sum ${actual%% *}, expected $expected." 'Nothing was installed. Download it again.'
}

main "$@"
