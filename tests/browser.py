"""A browser without a window, driven by Chrome's DevTools protocol over a pipe."""
import json
import os
import shutil
import subprocess
import time


class Fault(Exception):
    """An error that the browser reports or a script throws."""


class Browser:
    """A browser with one page. It records errors and requests of the page."""

    def __init__(self, program, profile):
        into, ours = os.pipe()
        theirs, out = os.pipe()
        self.into, self.out, self.number, self.left, self.events = ours, theirs, 0, b"", []

        def place():
            os.dup2(into, 13)
            os.dup2(out, 14)
            os.dup2(13, 3)
            os.dup2(14, 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             f"--user-data-dir={profile}", "--no-first-run", "--disable-extensions",
             "--disable-component-update", "--disable-background-networking", "--hide-scrollbars", "about:blank"],
            preexec_fn=place, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(into)
        os.close(out)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = None
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    session = None

    def read(self, until):
        while b"\0" not in self.left:
            os.set_blocking(self.out, False)
            try:
                part = os.read(self.out, 1 << 20)
                if not part:
                    raise Fault("the browser has ended")
                self.left += part
            except BlockingIOError:
                if time.monotonic() > until:
                    raise Fault("the browser does not answer") from None
                time.sleep(0.002)
        text, _, self.left = self.left.partition(b"\0")
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        words = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            words["sessionId"] = self.session
        text = json.dumps(words).encode() + b"\0"
        while text:
            text = text[os.write(self.into, text):]
        until = time.monotonic() + 60
        while True:
            message = self.read(until)
            if message.get("id") == self.number:
                if "error" in message:
                    raise Fault(f"{method}: {message['error']['message']}")
                return message["result"]
            self.events.append(message)

    def wait(self, method):
        until = time.monotonic() + 60
        while not any(event["method"] == method for event in self.events):
            self.events.append(self.read(until))

    def open(self, path, width=1280, height=900, dark=False, scripts=True):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                  mobile=False)
        self.call("Emulation.setEmulatedMedia",
                  features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])
        self.call("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.events = []
        self.call("Page.navigate", url=f"file://{path}")
        self.wait("Page.loadEventFired")

    def run(self, script):
        """Return the value of an expression in the page."""
        done = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            details = done["exceptionDetails"]
            raise Fault(details.get("exception", {}).get("description", details["text"]))
        return done["result"].get("value")

    def faults(self):
        """Return the page's errors since it was opened, and its requests for other files."""
        self.run("0")
        found = []
        for event in self.events:
            method, what = event["method"], event.get("params", {})
            if method == "Runtime.exceptionThrown":
                details = what["exceptionDetails"]
                found.append(details.get("exception", {}).get("description", details["text"]))
            elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
                found.append(str([argument.get("value") for argument in what["args"]]))
            elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
                found.append(what["entry"]["text"])
            elif method == "Network.requestWillBeSent" and what["request"]["url"].split(":")[0] != "data" \
                    and what["type"] != "Document":
                found.append(f"asks for {what['request']['url']}")
        return found

    def picture(self, path):
        import base64
        shot = self.call("Page.captureScreenshot", format="png")
        with open(path, "wb") as out:
            out.write(base64.b64decode(shot["data"]))

    def close(self):
        self.session = None
        try:
            self.call("Browser.close")
        except (Fault, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.into)
        os.close(self.out)


def find():
    """Return the path of Debian's Chromium, or None if it is not installed."""
    return shutil.which("chromium")
