# SPDX-License-Identifier: MIT OR Apache-2.0
"""The driver in the real labgrid: its shell driver logs in while a capture is made."""

import os
import pty
import select
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import qemu_board
import serial
import serial.rfc2217
from labgrid import Environment, Target
from labgrid.resource import NetworkSerialPort
from made_up import log

import bootline
from bootline.labgrid_driver import BootlineConsoleDriver

PAUSE = 0.3
PROMPT = "root@board:~# "


class Board:
    """A board that boots once it has power, asks for a login, and then runs a real shell."""

    def __init__(self) -> None:
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self.power, self.booted = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        connection, _ = self._server.accept()
        with connection:
            self.power.wait(60)
            text = log(100).encode()
            # Its last record comes later than the others by a pause.
            last = text.rindex(b"[")
            connection.sendall(text[:last])
            time.sleep(PAUSE)
            connection.sendall(text[last:] + b"board login: ")
            self.booted.set()
            name = b""
            while not name.endswith(b"\n"):
                if not (byte := connection.recv(1)):
                    return
                name += byte
            self._shell(connection)

    def _shell(self, connection: socket.socket) -> None:
        line, end = pty.openpty()
        environment = {**os.environ, "PS1": PROMPT, "TERM": "dumb"}
        command = ["bash", "--norc", "--noprofile", "-i"]
        with subprocess.Popen(command, stdin=end, stdout=end, stderr=end, env=environment, start_new_session=True) as shell:
            os.close(end)
            while True:
                ready, _, _ = select.select([connection, line], [], [])
                if line in ready:
                    connection.sendall(os.read(line, 4096))
                if connection in ready:
                    data = connection.recv(4096)
                    if not data:
                        break
                    os.write(line, data)
            shell.kill()
        os.close(line)

    def close(self) -> None:
        self._thread.join()
        self._server.close()


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Callable[[int, str], Target]]:
    """Makes labgrid's target for a console on this port."""
    made: list[Target] = []

    def make(port: int, protocol: str = "raw") -> Target:
        (tmp_path / "env.yaml").write_text(f"""
imports:
  - bootline.labgrid_driver
targets:
  main:
    resources:
      NetworkSerialPort: {{host: 127.0.0.1, port: {port}, protocol: {protocol}}}
    drivers:
      BootlineConsoleDriver: {{capture: {tmp_path}/boot.cap}}
      ShellDriver:
        prompt: '{PROMPT}'
        login_prompt: 'login: '
        username: root
        login_timeout: 120
""")
        found = Environment(str(tmp_path / "env.yaml")).get_target("main")
        assert found is not None
        made.append(found)
        return found

    yield make
    for one in made:
        one.cleanup()


def test_arrivals_do_not_depend_on_expect(target: Callable[..., Target]) -> None:
    board = Board()
    console = target(board.port).get_driver("BootlineConsoleDriver")
    board.power.set()
    # All of it has come before labgrid looks for the first time.
    assert board.booted.wait(60)
    console.expect("Run /init")
    console.expect("login: ")
    console.target.deactivate(console)
    board.close()
    (capture,) = console.captures
    boot = bootline.open(capture).only()
    arrivals = [record.arrival_time for record in boot.records if record.arrival_time is not None]
    assert arrivals[5] - arrivals[4] >= PAUSE * 0.9
    assert boot.clock == "arrival"


def test_labgrids_shell_runs_commands_while_all_is_recorded(target: Callable[..., Target]) -> None:
    board = Board()
    main = target(board.port)
    console = main.get_driver("BootlineConsoleDriver", activate=False)
    assert isinstance(console, BootlineConsoleDriver)
    main.activate(console)
    board.power.set()
    shell = main.get_driver("ShellDriver")
    assert shell.run_check("echo as $((40 + 2))") == ["as 42"]
    before = console.new_capture()
    assert shell.run_check("echo again") == ["again"]
    main.deactivate(console)
    board.close()
    assert [path.name for path in console.captures] == ["boot.cap", "boot-2.cap"]
    assert before == str(console.captures[0])
    boot = bootline.open(before).only()
    assert boot.time_to_init is not None
    assert any("as 42" in record.text for record in boot.records)
    assert b"again" in console.captures[1].read_bytes()


@pytest.mark.filterwarnings("ignore:set:DeprecationWarning")
def test_a_console_by_rfc2217(target: Callable[..., Target]) -> None:
    """As ser2net serves it: here pyserial's own server of the protocol does."""
    text = log(100).encode()
    power, heard = threading.Event(), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            connection, _ = server.accept()
            with connection, serial.serial_for_url("loop://") as line:

                class Wire:
                    def write(self, data: bytes) -> None:
                        connection.sendall(data)

                manager = serial.rfc2217.PortManager(line, Wire())

                def negotiate() -> None:
                    while data := connection.recv(1024):
                        b"".join(manager.filter(data))

                talk = threading.Thread(target=negotiate)
                talk.start()
                power.wait(60)
                connection.sendall(b"".join(manager.escape(text + b"\xff is a byte, too\n")))
                talk.join()
                heard.set()

        board = threading.Thread(target=serve)
        board.start()
        console = target(server.getsockname()[1], "rfc2217").get_driver("BootlineConsoleDriver")
        power.set()
        console.expect("Run /init")
        console.expect("is a byte, too")
        console.target.deactivate(console)
        board.join()
    assert heard.is_set()
    (capture,) = console.captures
    assert bootline.open(capture).only().clock == "arrival"
    assert b"\xff is a byte, too" in capture.read_bytes()


def test_bytes_that_were_not_yet_read_outlive_their_capture(target: Callable[..., Target]) -> None:
    board = Board()
    console = target(board.port).get_driver("BootlineConsoleDriver")
    board.power.set()
    assert board.booted.wait(60)
    # Sent is not yet recorded.
    size = len(log(100)) + len("board login: ")
    deadline = time.monotonic() + 60
    while console._recorder.bytes < size:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    console.new_capture()
    console.expect("Run /init")
    console.expect("login: ", timeout=10)
    console.target.deactivate(console)
    board.close()


@pytest.mark.filterwarnings("ignore:set:DeprecationWarning")
def test_a_console_that_fails_says_so(tmp_path: Path) -> None:
    """A console without a descriptor: after its last bytes, what went wrong is raised, and the capture is complete."""

    class Line:
        port, timeout = "rfc2217://board", 0.0
        reads = iter([b"the last bytes\n"])

        def fileno(self) -> int:
            raise OSError("no descriptor")

        @property
        def in_waiting(self) -> int:
            return 1

        def read(self, _size: int) -> bytes:
            for data in self.reads:
                return data
            raise serial.SerialException("the connection was lost")

        def close(self) -> None:
            pass

    main = Target("main")
    NetworkSerialPort(main, "port", host="127.0.0.1", port=1, protocol="rfc2217")
    console = BootlineConsoleDriver(main, "console", capture=str(tmp_path / "boot.cap"))
    console.serial = Line()
    console._begin()
    assert console._read(15, timeout=10) == b"the last bytes\n"
    with pytest.raises(serial.SerialException, match="the connection was lost"):
        console._read(1, timeout=10)
    console._end()
    assert b"the last bytes" in console.captures[0].read_bytes()


@pytest.mark.qemu
def test_a_board_in_qemu(tmp_path: Path, target: Callable[..., Target], bootline_command: Path) -> None:
    """A stock kernel in QEMU, whose serial port is labgrid's console."""
    fetched = subprocess.run([bootline_command, "kernels", "fetch", "6.12"], check=True, capture_output=True, text=True)
    board, port = qemu_board.start(Path(fetched.stdout.strip()), tmp_path)
    try:
        console = target(port).get_driver("BootlineConsoleDriver")
        console.expect("login: ", timeout=300)
        console.sendline("root")
        console.expect(PROMPT, timeout=60)
        console.sendline("ready?")
        console.expect("the board is ready", timeout=60)
        console.target.deactivate(console)
    finally:
        board.kill()
        board.communicate()
    (capture,) = console.captures
    boot = bootline.open(capture).only()
    assert boot.usable, boot.problem
    assert boot.clock == "arrival"
    assert boot.kernel is not None
    assert boot.kernel.startswith("6.12.")
    assert boot.time_to_init is not None
    assert any("the board is ready" in record.text for record in boot.records)
