# SPDX-License-Identifier: MIT OR Apache-2.0
"""Boots that no kernel made: one initcall of a known length."""


def log(ms: int, *, end: str = "Run /init as init process") -> str:
    """A log whose initcall `slow_init` takes so many ms."""
    lines = [
        (0.0, "Linux version 6.6.0-44-amd64 (x) #1 SMP"),
        (0.0, "Kernel command line: console=ttyS0,115200 initcall_debug loglevel=8"),
        (0.1, "printk: console [ttyS0] enabled"),
        (0.2, "calling  slow_init+0x0/0x10 @ 1"),
        (0.2 + ms / 1000, f"initcall slow_init+0x0/0x10 returned 0 after {ms * 1000} usecs"),
        (0.208 + ms / 1000, end),
    ]
    return "".join(f"[{at:12.6f}] {text}\n" for at, text in lines)
