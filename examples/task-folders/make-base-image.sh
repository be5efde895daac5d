#!/bin/sh
# Makes the base image of the tasks from the static busybox of this machine, without a registry.
set -e
engine=${ASSAY_CONTAINER_ENGINE:-podman}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/bin" "$folder/tmp"
cp "$(command -v busybox)" "$folder/bin/busybox"
for name in $(busybox --list | grep -v "^busybox$"); do ln -s busybox "$folder/bin/$name"; done
tar -C "$folder" -c . | $engine import - localhost/assay-busybox:latest
