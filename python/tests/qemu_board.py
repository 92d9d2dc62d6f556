# SPDX-License-Identifier: MIT OR Apache-2.0
"""A board in QEMU: a stock kernel with an init that asks for a login and has a shell's prompt."""

import re
import subprocess
from pathlib import Path

INIT = r"""
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    char line[256];
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("board login: ");
    for (;;) {
        if (!fgets(line, sizeof line, stdin)) {
            sleep(1);
            continue;
        }
        /* Of labgrid's commands only what stands between its marks and the status matter: sh would print the same. */
        if (strncmp(line, "ready", 5) == 0)
            puts("the board is ready");
        printf("root@board:~# ");
    }
}
"""

CHARACTER_DEVICE, FOLDER, PROGRAM = 0o020600, 0o040755, 0o100755


def _entry(name: str, mode: int, data: bytes = b"", device: tuple[int, int] = (0, 0)) -> bytes:
    """An entry of an initramfs, as Documentation/driver-api/early-userspace/buffer-format.rst describes it."""
    fields = [0, mode, 0, 0, 1, 0, len(data), 0, 0, *device, len(name) + 1, 0]
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name.encode() + b"\0"
    return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)


def initramfs(folder: Path) -> Path:
    """An initramfs with that init."""
    (folder / "init.c").write_text(INIT)
    subprocess.run(["gcc", "-static", "-Os", "-o", folder / "init", folder / "init.c"], check=True)
    entries = [
        _entry("dev", FOLDER),
        _entry("dev/console", CHARACTER_DEVICE, device=(5, 1)),
        _entry("init", PROGRAM, (folder / "init").read_bytes()),
        _entry("TRAILER!!!", 0),
    ]
    path = folder / "initramfs"
    path.write_bytes(b"".join(entries))
    return path


def start(kernel: Path, folder: Path) -> tuple[subprocess.Popen[str], int]:
    """QEMU, which waits for somebody to connect to its serial port, and the TCP port that it chose for it."""
    command = ["qemu-system-x86_64", "-nodefaults", "-display", "none", "-no-reboot", "-m", "512"]
    command += ["-serial", "tcp:127.0.0.1:0,server=on,wait=on"]
    command += ["-kernel", str(kernel), "-initrd", str(initramfs(folder)), "-append", "console=ttyS0,115200 panic=-1"]
    board = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert board.stderr is not None
    said = ""
    for line in board.stderr:
        said += line
        # "QEMU waiting for connection on: disconnected:tcp:127.0.0.1:PORT,server=on": it listens by then.
        if found := re.search(r"waiting for connection on: .*tcp:127\.0\.0\.1:(\d+)", line):
            return board, int(found[1])
    board.wait()
    raise AssertionError(f"QEMU does not wait for a connection: {said}")
