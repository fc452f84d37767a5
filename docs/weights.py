#!/usr/bin/env python3
"""The weights of svmllm, in numpy: sums from the file, and a whole step in onnxruntime.

    svmllm weights export weights.safetensors
    svmllm weights onnx step.onnx
    python3 docs/weights.py weights.safetensors [step.onnx [svmllm]]

It needs numpy, and onnxruntime for the step. WEIGHTS.md describes the file.
"""

import json
import random
import struct
import subprocess
import sys

import numpy as np


def load(path):
    """The tensors of a safetensors file by name: a length, a header in JSON, numbers."""
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(length))
        data = file.read()
    tensors = {}
    for name, entry in header.items():
        if name != "__metadata__":
            start, end = entry["data_offsets"]
            tensors[name] = np.frombuffer(data[start:end], "<f4").reshape(entry["shape"])
    return tensors


class Network:
    """Values are rows of one-hot vectors; nothing below adds two numbers but inside matrix products."""

    def __init__(self, tensors):
        self.tensors = tensors

    def embed(self, alphabet, letters):
        return self.tensors[f"alphabet.{alphabet}"][letters]

    def read(self, alphabet, rows):
        """The letters of one-hot rows; anything else is an error, never rounded."""
        assert ((rows == 0) | (rows == 1)).all() and (rows.sum(axis=1) == 1).all(), "not one-hot"
        positions = self.tensors[f"alphabet.{alphabet}"].argmax(axis=1)
        return [int(np.flatnonzero(positions == hot)[0]) for hot in rows.argmax(axis=1)]

    def table(self, name, *inputs):
        """A two-layer ReLU network, on as many rows as the inputs have."""
        w1, b1, w2 = (self.tensors[f"table.{name}.{part}"] for part in ("w1", "b1", "w2"))
        hidden = np.maximum(np.concatenate(inputs, axis=1) @ w1.T + b1, 0)
        assert (hidden.sum(axis=1) == 1).all(), "exactly one unit fires"
        return hidden @ w2.T

    def word(self, value):
        return self.embed("nibble", [value >> 4 * lane & 15 for lane in range(16)])

    def value(self, word):
        return sum(digit << 4 * lane for lane, digit in enumerate(self.read("nibble", word)))

    def add(self, a, b):
        """A 64-bit sum: digits, what each does to a carry, two prefix layers, and the carries go in."""
        digits, states = self.table("add", a, b), self.table("add_carry", a, b)
        through = self.embed("carry", [1])  # kill, propagate, generate

        def below(states, count):
            return np.concatenate([np.repeat(through, count, axis=0), states[: 16 - count]])

        for step in (1, 4):
            states = self.table("prefix", states, *(below(states, k * step) for k in (1, 2, 3)))
        no_carry = np.repeat(self.embed("bit", [0]), 16, axis=0)
        return self.table("increment", digits, below(states, 1), no_carry)


def instruction(opcode, dst=0, src=0, offset=0, immediate=0):
    return struct.pack("<BBhi", opcode, src << 4 | dst, offset, immediate)


def subset(seed):
    """A random program of sums, differences, exclusive ors and forward jumps."""
    choose = random.Random(seed)
    slots = []
    for register in range(6):
        slots += [instruction(0x18, register, 0, 0, choose.randrange(-(2**31), 2**31))]
        slots += [instruction(0, 0, 0, 0, choose.randrange(-(2**31), 2**31))]
    count = 30
    for index in range(count):
        dst, src, immediate = choose.randrange(6), choose.randrange(6), choose.randrange(-9, 9)
        if choose.random() < 0.3:
            opcode = choose.choice([0x05, 0x15, 0x1D, 0x55, 0x5D, 0x2D, 0xAD, 0x6D, 0xCD])
            src = src if opcode & 8 else 0
            dst, immediate = (0, 0) if opcode == 0x05 else (dst, 0 if opcode & 8 else immediate)
            slots.append(instruction(opcode, dst, src, choose.randrange(0, count - index), immediate))
        else:
            opcode = choose.choice([0x07, 0x0F, 0x17, 0x1F, 0xA7, 0xAF, 0x04, 0x0C, 0x14, 0x1C, 0xA4, 0xAC])
            by_register = opcode & 8
            slots.append(instruction(opcode, dst, src if by_register else 0, 0, 0 if by_register else immediate))
    return b"".join(slots) + instruction(0x95)


class Step:
    """The graph of one full step, with the state of a machine around it."""

    STATE = ["registers", "pc", "meter", "depth", "frames"]

    def __init__(self, path, network):
        import onnxruntime

        self.session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        self.network = network

    def run(self, text, units):
        """Runs bare instruction slots to their end; gives the registers and the units left."""
        net = self.network
        zero = net.word(0).reshape(1, 256)

        def found(value):
            bit = net.embed("bit", [0 if value is None else 1])
            return np.concatenate([net.word(value or 0).reshape(1, 256), bit], axis=1)

        slots = [word for (word,) in struct.iter_unpack("<Q", text)]
        rows = [found(slots[row] if row < len(slots) else None) for row in range(256)]
        registers = np.repeat(zero, 16, axis=0)
        registers[1], registers[10] = net.word(0x400000000).reshape(256), net.word(0x200001000).reshape(256)
        inputs = {
            "slots": np.concatenate(rows),
            "slot_count": net.word(len(slots)),
            "function_keys": np.zeros((64, 128), np.float32),
            "function_values": np.zeros((64, 258), np.float32),
            "registers": registers,
            "pc": net.word(0),
            "meter": net.word(units),
            "depth": net.word(0),
            "frames": np.tile(zero, (256, 6)),
        }
        names = [f"{name}_next" for name in self.STATE] + ["halt", "fault"]
        while True:
            outputs = dict(zip(names, self.session.run(names, inputs)))
            for name in self.STATE:
                inputs[name] = outputs[f"{name}_next"]
            (halt,) = net.read("halt", outputs["halt"])
            if halt:  # continue, exit, fault, syscall
                found_registers = [net.value(inputs["registers"][n].reshape(16, 16)) for n in range(11)]
                return halt, found_registers, net.value(inputs["meter"])


def compare(step, svmllm, programs, units=1000):
    """Runs random programs on the graph and through `svmllm exec`."""
    texts = [subset(seed) for seed in range(programs)]
    lines = "".join(json.dumps({"id": n, "text": text.hex(), "compute_units": units}) + "\n" for n, text in enumerate(texts))
    replies = subprocess.run([svmllm, "exec"], input=lines, capture_output=True, text=True, check=True).stdout
    for text, line in zip(texts, replies.splitlines(), strict=True):
        reply = json.loads(line)
        assert reply["status"] == "ok", reply
        halt, registers, left = step.run(text, units)
        assert halt == 1, halt
        assert registers == [int(register, 16) for register in reply["registers"]], (text.hex(), registers)
        assert left == reply["remaining"], (left, reply)


def main(weights, graph=None, svmllm="svmllm"):
    net = Network(load(weights))

    # 9 + 8 = 17: the digit 1, and a carry leaves.
    nine, eight = net.embed("nibble", [9]), net.embed("nibble", [8])
    (digit,) = net.read("nibble", net.table("add", nine, eight))
    (carry,) = net.read("carry", net.table("add_carry", nine, eight))
    assert (digit, carry) == (1, 2)
    print(f"9 + 8: digit {digit}, carry {['kill', 'propagate', 'generate'][carry]}, that is {16 * (carry == 2) + digit}")

    choose = random.Random(7)
    pairs = [(2**64 - 1, 1), (0x0FFFFFFFFFFFFFFF, 1)]
    pairs += [(choose.getrandbits(64), choose.getrandbits(64)) for _ in range(1000)]
    for a, b in pairs:
        assert net.value(net.add(net.word(a), net.word(b))) == (a + b) % 2**64, (a, b)
    print(f"{len(pairs)} sums of 64 bits, such as {pairs[-1][0]:#x} + {pairs[-1][1]:#x}")

    if graph is not None:
        programs = 25
        compare(Step(graph, net), svmllm, programs)
        print(f"{programs} programs, step by step in onnxruntime, end as svmllm exec says")


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
