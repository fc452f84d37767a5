#!/bin/sh
# build.sh [DIRECTORY]: rebuilds the compiled programs, next to their sources or into a directory.
# It needs clang 19 and cargo. The results are committed, so that only a change to a source needs this.
set -eu
output=$(realpath "${1:-$(dirname "$0")}")
cd "$(dirname "$0")"

clang=${CLANG:-clang-19}
objects=$(mktemp -d)
trap 'rm -rf "$objects"' EXIT

target=${CARGO_TARGET_DIR:-link/target}
CARGO_TARGET_DIR=$target cargo build --quiet --release --locked --manifest-path link/Cargo.toml
link=$target/release/link-sbpf
for source in */*.c; do
    name=$(basename "$source" .c)
    # mcpu v2 is the instruction set of sBPF version 0: later ones use instructions it lacks. Version 3 has
    # all of it, but not the zero extension of 32-bit results that mcpu v3 relies on.
    "$clang" -target bpfel -mcpu=v2 -O2 -ffreestanding -fno-builtin -nostdlibinc \
        -mllvm -bpf-stack-size=4096 -Wall -Wextra -Werror -c "$source" -o "$objects/$name.o"
    mkdir -p "$output/$(dirname "$source")"
    "$link" 0 "$objects/$name.o" "$output/${source%.c}.so"
    "$link" 3 "$objects/$name.o" "$output/${source%.c}_v3.so"
done
