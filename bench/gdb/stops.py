# Run by gdb: starts the program, stops it STOPS times after random times, and writes what it finds at
# each stop to OUTPUT as a line of JSON: registers by DWARF number, the stack's bytes, the mappings and
# gdb's frames: those that are on the stack, no inlined calls and no tail calls that it infers.
import base64
import json
import os
import random
import subprocess

import gdb

STOPS = int(os.environ["STOPS"])
STACK_BYTES = 65536
MOST_FRAMES = 1000
# By DWARF number: System V ABI for x86-64, figure 3.36.
REGISTERS = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"] + [f"r{i}" for i in range(8, 16)] + ["rip"]
MASK = (1 << 64) - 1


def mappings(pid):
    with open(f"/proc/{pid}/maps") as lines:
        return lines.read()


def frames():
    found = []
    frame = gdb.newest_frame()
    while frame is not None and len(found) < MOST_FRAMES:
        if frame.type() not in (gdb.INLINE_FRAME, gdb.TAILCALL_FRAME):
            found.append(f"{frame.pc():x}")
        frame = frame.older()
    return found


def stack(inferior, sp, maps):
    for line in maps.splitlines():
        start, end = (int(part, 16) for part in line.split()[0].split("-"))
        if start <= sp < end:
            return bytes(inferior.read_memory(sp, min(STACK_BYTES, end - sp)))
    return b""


def describe(inferior):
    newest = gdb.newest_frame()
    registers = {i: int(newest.read_register(name)) & MASK for i, name in enumerate(REGISTERS)}
    maps = mappings(inferior.pid)
    return {
        "registers": {i: f"{value:x}" for i, value in registers.items()},
        "stack": base64.b64encode(stack(inferior, registers[7], maps)).decode(),
        "maps": maps,
        "frames": frames(),
    }


for command in [
    "set pagination off",
    "set confirm off",
    "set debuginfod enabled off",
    "set backtrace past-main on",
    "set backtrace past-entry on",
    "handle SIGALRM SIGUSR1 SIGUSR2 SIGPROF nostop noprint pass",
    "handle SIGINT stop print nopass",
    "starti",
]:
    gdb.execute(command, to_string=True)
inferior = gdb.selected_inferior()
random.seed(1)
with open(os.environ["OUTPUT"], "w") as output:
    for _ in range(STOPS):
        # A process of its own: gdb holds Python's lock while the program runs.
        seconds = random.uniform(0.002, 0.03)
        timer = subprocess.Popen(["sh", "-c", f"sleep {seconds}; kill -INT {inferior.pid}"])
        gdb.execute("continue", to_string=True)
        timer.wait()
        if inferior.pid == 0:
            break
        output.write(json.dumps(describe(inferior)) + "\n")
if inferior.pid != 0:
    gdb.execute("kill", to_string=True)
