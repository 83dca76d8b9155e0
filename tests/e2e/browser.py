# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chromium without a window, for pages: loads a file, answers expressions of JavaScript. Spoken to by its DevTools protocol
over a pipe: JSON objects, each ended by a zero byte, read by the browser from descriptor 3 and written to 4."""
import json
import os
import select
import subprocess
import time

import pytest

from machine import need

PATIENCE_S = 240
OPTIONS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
           "--disable-background-networking", "--remote-debugging-pipe"]


class Browser:
    def __init__(self, folder):
        to_browser, self.out = os.pipe()
        self.into, from_browser = os.pipe()
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec chromium "$@" 3<&{to_browser} 4>&{from_browser}', "bash", *OPTIONS, f"--user-data-dir={folder}"],
            pass_fds=(to_browser, from_browser), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": str(folder)})
        os.close(to_browser)
        os.close(from_browser)
        self.number, self.rest, self.errors, self.session = 0, b"", [], None
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime"):
            self.ask(f"{domain}.enable")

    def receive(self):
        deadline = time.monotonic() + PATIENCE_S
        while b"\0" not in self.rest:
            if not select.select([self.into], [], [], max(0, deadline - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            got = os.read(self.into, 1 << 16)
            if not got:
                raise EOFError("the browser ended")
            self.rest += got
        message, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(message)
        if message.get("method") == "Runtime.exceptionThrown":
            details = message["params"]["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        return message

    def ask(self, method, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]

    def open(self, path, width=1280, media="screen", scripts=True, **features):
        """Loads a file; `features`: of the media, prefers_color_scheme="dark"."""
        self.errors.clear()
        self.ask("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)
        self.ask("Emulation.setEmulatedMedia", media=media,
                 features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])
        self.ask("Page.navigate", url=f"file://{path}")
        while self.receive().get("method") != "Page.loadEventFired":
            pass
        self.ask("Emulation.setScriptExecutionDisabled", value=False)
        self.of("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(0))))")  # charts wait for a width

    def of(self, expression):
        """The value of an expression in the page."""
        result = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def press(self, key):
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode={"Tab": 9}.get(key, 0))

    def close(self):
        self.process.terminate()
        self.process.wait(timeout=60)
        os.close(self.out)
        os.close(self.into)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    need("chromium")
    found = Browser(tmp_path_factory.mktemp("browser"))
    yield found
    found.close()
