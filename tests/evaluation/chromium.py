"""Drives headless Chromium over its DevTools pipe: opens pages at any width, in light and dark mode, and collects their requests and
errors."""

import base64
import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from typing import Any

TIMEOUT = 120  # timeout for one answer, in seconds


def find() -> str | None:
    return shutil.which("chromium") or shutil.which("chromium-browser")


class Page:
    """One page of a browser. `requests` lists the addresses that it requested, `errors` what it reported."""

    def __init__(self, browser: "Browser", session: str) -> None:
        self.browser, self.session = browser, session
        self.requests: list[str] = []
        self.errors: list[str] = []
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self.browser.call(method, self.session, self, **parameters)

    def take(self, event: dict[str, Any]) -> None:
        kind, given = event["method"], event["params"]
        if kind == "Network.requestWillBeSent":
            # Data URLs are part of the page and not requests.
            if given["request"]["url"].startswith("data:"):
                return
            self.requests.append(given["request"]["url"])
        elif kind == "Runtime.consoleAPICalled":
            self.errors.append(" ".join(str(one.get("value", one.get("description"))) for one in given["args"]))
        elif kind == "Runtime.exceptionThrown":
            self.errors.append(given["exceptionDetails"]["text"])
        elif kind == "Log.entryAdded":
            self.errors.append(given["entry"]["text"])

    def look(self, width: int, height: int, dark: bool) -> None:
        """Sets the size in CSS pixels and the colour scheme."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def open(self, address: str) -> None:
        self.call("Page.navigate", url=address)
        self.evaluate("new Promise(done => document.readyState === 'complete' ? done() : addEventListener('load', () => done()))")

    def evaluate(self, script: str) -> Any:
        """Returns the value of a script. Waits when the value is a promise, and raises RuntimeError when the script throws."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", "a script failed"))
        return answer["result"].get("value")

    def screenshot(self) -> bytes:
        """Returns the whole page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True, format="png")["data"])


class Browser:
    def __init__(self, read: int, write: int) -> None:
        self.read, self.write = read, write
        self.number = 0
        self.rest = b""

    def message(self) -> dict[str, Any]:
        while b"\0" not in self.rest:
            got = os.read(self.read, 1 << 20)
            if not got:
                raise RuntimeError("Chromium has ended")
            self.rest += got
        text, self.rest = self.rest.split(b"\0", 1)
        return dict(json.loads(text))

    def call(self, method: str, session: str | None = None, page: Page | None = None, **parameters: Any) -> dict[str, Any]:
        self.number += 1
        asked = {"id": self.number, "method": method, "params": parameters} | ({"sessionId": session} if session else {})
        os.write(self.write, json.dumps(asked).encode() + b"\0")
        signal.alarm(TIMEOUT)
        try:
            while (answer := self.message()).get("id") != self.number:
                if page is not None and answer.get("sessionId") == session:
                    page.take(answer)
        finally:
            signal.alarm(0)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']['message']}")
        return dict(answer["result"])

    def page(self) -> Page:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        return Page(self, self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"])


@contextlib.contextmanager
def browser(program: str) -> Iterator[Browser]:
    """Yields a browser with a temporary profile."""
    to_child, own_write = os.pipe()
    own_read, from_child = os.pipe()

    def place() -> None:
        # Chromium reads commands from descriptor 3 and writes answers to 4. The pipes are duplicated first, so that neither of them already
        # has one of these numbers.
        reading, writing = os.dup(to_child), os.dup(from_child)
        os.dup2(reading, 3)
        os.dup2(writing, 4)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-pipe"]
        command += [f"--user-data-dir={profile}", "--hide-scrollbars", "--no-first-run"]
        child = subprocess.Popen(
            command,
            preexec_fn=place,  # noqa: PLW1509, because there are no threads
            close_fds=False,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(to_child)
        os.close(from_child)
        try:
            yield Browser(own_read, own_write)
        finally:
            child.terminate()
            child.wait(timeout=30)
            os.close(own_read)
            os.close(own_write)
