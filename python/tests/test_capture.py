# SPDX-License-Identifier: MIT OR Apache-2.0
"""Captures: from commands, sockets and pseudo-terminals, and Ctrl-C."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from made_up import log

import bootline
from bootline._bootline import ConsoleRecorder


def test_a_socket_is_recorded(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                connection.sendall(log(100).encode())
                # A board stays connected: one that went away would be waited for, and named as a hole.
                connection.recv(1)

        board = threading.Thread(target=serve)
        board.start()
        made = bootline.capture(f"tcp:127.0.0.1:{port}", tmp_path / "boot.cap", until="Run /init", timeout=60)
        board.join()
    assert made.ended == "until"
    boot = bootline.open(made.path).only()
    assert boot.clock == "arrival"
    assert boot.time_to_init is not None


def test_what_is_refused(tmp_path: Path) -> None:
    with pytest.raises(bootline.UsageError, match="not a source"):
        bootline.capture("tcp:nowhere", tmp_path / "a.cap")
    with pytest.raises(bootline.PortError, match="missing"):
        bootline.capture(str(tmp_path / "missing"), tmp_path / "a.cap")
    with pytest.raises(bootline.UsageError, match="timeout"):
        bootline.capture(["true"], tmp_path / "a.cap", timeout=-1)
    (tmp_path / "there.cap").touch()
    with pytest.raises(bootline.UsageError, match="never overwritten"):
        bootline.capture(["true"], tmp_path / "there.cap")


def test_a_capture_that_is_not_what_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(bootline.InputError, match="nothing arrived"):
        bootline.capture(["true"], tmp_path / "nothing.cap")
    with pytest.raises(bootline.InputError, match=r"no line matched `login`.*\n  the capture is in"):
        bootline.capture(["echo", "panic"], tmp_path / "panic.cap", until="login")
    # What there is of it is kept.
    assert b"panic" in (tmp_path / "panic.cap").read_bytes()
    with pytest.raises(bootline.PortError, match="exit status: 3") as failed:
        bootline.capture(["sh", "-c", "echo begun; exit 3"], tmp_path / "failed.cap")
    assert "failed.cap" in str(failed.value)
    assert b"begun" in (tmp_path / "failed.cap").read_bytes()


def test_control_c_ends_a_capture(tmp_path: Path) -> None:
    path = tmp_path / "boot.cap"
    code = f"""
import bootline, sys
try:
    bootline.capture(["sh", "-c", "echo begun; sleep 600"], {str(path)!r})
except KeyboardInterrupt:
    sys.exit(42)
"""
    child = subprocess.Popen([sys.executable, "-c", code])
    deadline = time.monotonic() + 60
    while not (path.exists() and b"begun" in path.read_bytes()):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    child.send_signal(signal.SIGINT)
    assert child.wait(timeout=60) == 42
    assert b"begun" in path.read_bytes()


def test_a_recorder_hands_on_what_it_records(tmp_path: Path) -> None:
    ours, boards = socket.socketpair()
    with ours, boards:
        recorder = ConsoleRecorder(ours.fileno(), str(tmp_path / "boot.cap"), "a board")
        assert recorder.read(10, 0.01) == b""
        boards.sendall(log(100).encode())
        heard = b""
        while b"Run /init" not in heard:
            heard += recorder.read(7, 30)
        boards.sendall(b"login: ")
        while not heard.endswith(b"login: "):
            heard += recorder.read(100, 30)
        recorder.stop()
        recorder.stop()
        assert heard == log(100).encode() + b"login: "
        assert recorder.bytes == len(log(100)) + len("login: ")
    boot = bootline.open(tmp_path / "boot.cap").only()
    assert boot.clock == "arrival"
    assert boot.records[-1].text == "login: "


def test_a_recorder_ends_with_its_console(tmp_path: Path) -> None:
    ours, boards = socket.socketpair()
    with ours:
        recorder = ConsoleRecorder(ours.fileno(), str(tmp_path / "boot.cap"), "a board")
        boards.sendall(b"off\n")
        boards.close()
        assert recorder.read(100, 30) == b"off\n"
        assert recorder.read(100, 30) == b""
        recorder.stop()
    with pytest.raises(bootline.UsageError):
        ConsoleRecorder(-1, str(tmp_path / "b.cap"), "nothing")
    with pytest.raises(bootline.PortError, match="already exists"):
        ConsoleRecorder(os.dup(0), str(tmp_path / "boot.cap"), "again")
