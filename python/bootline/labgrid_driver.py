# SPDX-License-Identifier: MIT OR Apache-2.0
"""A labgrid driver that records a console with arrival times, next to labgrid's own expect.

    imports:
      - bootline.labgrid_driver
    targets:
      main:
        resources:
          RawSerialPort: {port: /dev/ttyUSB0, speed: 115200}
        drivers:
          BootlineConsoleDriver: {capture: boot.cap}
          ShellDriver: {prompt: 'root@board:', login_prompt: 'login: ', username: root}

It takes the place of labgrid's SerialDriver, from which it is derived. A thread reads and stamps all the time, so that an arrival does not
depend on when the test waits for it; what it read goes on to expect. A capture is never overwritten: each activation writes a new one,
`boot.cap`, `boot-2.cap` and so on (`BootlineConsoleDriver.captures`).
"""

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attr
from labgrid.driver import SerialDriver
from labgrid.factory import target_factory
from labgrid.resource import SerialPort
from labgrid.step import step
from pexpect import TIMEOUT

from ._bootline import ConsoleRecorder

__all__ = ["BootlineConsoleDriver"]

MOST = 64 * 1024


@target_factory.reg_driver
@attr.s(eq=False)
class BootlineConsoleDriver(SerialDriver):
    """Records what the console sends into `capture`, and is labgrid's console.

    `baud` is the speed of the serial line behind a NetworkSerialPort, if it is known; for a local port, the resource's `speed` is used. If
    the speed is known, bytes that were read together get consecutive arrival times. Over RFC 2217 the arrival time is when pyserial
    returns the bytes.
    """

    capture: str = attr.ib(default="boot.cap", validator=attr.validators.instance_of(str))
    baud: int | None = attr.ib(default=None, validator=attr.validators.optional(attr.validators.instance_of(int)))

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        self.captures: list[Path] = []
        """The captures made so far, the last of them perhaps still growing."""
        self._recorder: ConsoleRecorder | None = None
        self._pump: threading.Thread | None = None
        self._pump_failure: Exception | None = None
        self._unread = b""

    def open(self) -> None:
        if self.status:
            return
        super().open()
        self._begin()

    def close(self) -> None:
        if not self.status:
            return
        self._end()
        self._unread = b""
        super().close()

    @step(result=True)
    def new_capture(self) -> str:
        """Ends the capture and begins another, as before the board is switched on again. Gives the path of the one that ended."""
        self._end()
        left = b""
        try:
            # What expect has not yet read of the capture that ended.
            while data := self._recorded(MOST, 0.0):
                left += data
        finally:
            self._unread = left
        ended = self.captures[-1]
        self._begin()
        return str(ended)

    def _begin(self) -> None:
        path = next(path for path in _names(Path(self.capture)) if not path.exists())
        is_local = isinstance(self.port, SerialPort)
        baud = self.port.speed if is_local else self.baud
        source = str(self.serial.port)
        try:
            descriptor: int | None = self.serial.fileno()
        except OSError:
            # io.UnsupportedOperation: pyserial itself speaks the protocol.
            descriptor = None
        self._recorder = ConsoleRecorder(descriptor, str(path), source, baud)
        self.captures.append(path)
        if descriptor is None:
            self._stopped = threading.Event()
            self._pump_failure = None
            self._pump = threading.Thread(target=self._feed, args=(self._recorder, self._stopped), daemon=True)
            self._pump.start()

    def _end(self) -> None:
        if self._pump is not None:
            self._stopped.set()
            self._pump.join()
            self._pump = None
        if self._recorder is not None:
            self._recorder.stop()

    def _feed(self, recorder: ConsoleRecorder, stopped: threading.Event) -> None:
        try:
            _pump(self.serial, recorder, stopped)
        except Exception as e:  # noqa: BLE001 (raised by the thread that reads)
            # Before the recorder ends: whoever waits for bytes is woken by it, and asks why.
            self._pump_failure = e
            recorder.stop()

    def _recorded(self, size: int, timeout: float) -> bytes:
        """What was recorded; raises what ended the recording, once all before it was read."""
        assert self._recorder is not None
        if self._unread:
            data, self._unread = self._unread[:size], self._unread[size:]
            return data
        data = self._recorder.read(size, timeout)
        if not data and self._pump_failure is not None:
            raise self._pump_failure
        return data

    def _read(self, size: int = 1, timeout: float = 0.0, max_size: int | None = None) -> bytes:
        """Between `size` and `max_size` bytes, fewer only if no more came in time; raises TIMEOUT if none did."""
        wanted = min(size, max_size) if max_size else size
        data = self._recorded(max_size or MOST, timeout)
        while data and len(data) < wanted:
            more = self._recorded((max_size or MOST) - len(data), timeout)
            if not more:
                break
            data += more
        if not data:
            raise TIMEOUT(f"no byte came within {timeout:.2f} s, or the console was closed by its other end")
        return data


def _names(path: Path) -> Iterator[Path]:
    yield path
    n = 2
    while True:
        yield path.with_stem(f"{path.stem}-{n}")
        n += 1


def _pump(serial: object, recorder: ConsoleRecorder, stopped: threading.Event) -> None:
    """Feeds the recorder from a console that has no descriptor."""
    console: Any = serial
    console.timeout = 0.1
    while not stopped.is_set():
        looked_at = recorder.now()
        waiting = console.in_waiting
        data = console.read(max(1, waiting))
        recorder.feed(data, None if waiting else looked_at)
