#!/usr/bin/env python3
"""Drives the page of `svmllm serve` in a headless Chromium, through chromedriver.

    browser.py SVMLLM [SCREENSHOTS]

Needs chromium and chromedriver. With a folder it leaves screenshots there.
"""

import base64
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


class Browser:
    """As much of WebDriver as is needed."""

    def __init__(self, port):
        self.root = f"http://127.0.0.1:{port}"
        arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
        options = {"args": arguments, "prefs": {}}
        wanted = {"browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self.call("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self.session = f"/session/{session['sessionId']}"

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.root + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(json.load(error)["value"]["message"]) from None

    def on(self, method, path, body=None):
        return self.call(method, self.session + path, body)

    def script(self, text, *arguments):
        return self.on("POST", "/execute/sync", {"script": text, "args": list(arguments)})

    def find(self, selector):
        return self.on("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self.script("document.querySelector(arguments[0]).scrollIntoView({block: 'center', behavior: 'instant'})", selector)
        self.on("POST", f"/element/{self.find(selector)}/click", {})

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def type(self, selector, text):
        element = self.find(selector)
        self.on("POST", f"/element/{element}/clear", {})
        self.on("POST", f"/element/{element}/value", {"text": text})

    def choose(self, selector, value):
        text = "const e = document.querySelector(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('change'))"
        self.script(text, selector, value)

    def wait(self, selector, *words, seconds=30):
        """Waits until an element's text has all these words."""
        end = time.monotonic() + seconds
        while True:
            text = self.text(selector)
            if all(word in text for word in words):
                return text
            assert time.monotonic() < end, f"{selector} says {text!r}, not {words}"
            time.sleep(0.05)

    def look(self, width, height, dark):
        """How wide the window is, and which colours it wants."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.chrome("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.chrome("Emulation.setEmulatedMedia", {"features": [scheme]})

    def chrome(self, command, parameters):
        return self.on("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.on("GET", "/screenshot")))


def programs(browser):
    browser.wait("#facts", "parameters", "SHA-256")
    count = browser.script("return document.querySelectorAll('#demo option').length")
    assert count == 12, count
    answers = {
        "fib": "2880067194370816120", "factorial": "2432902008176640000", "gcd": "1", "isqrt": "1414213562",
        "prime": "prime", "sort": "23 26 31 41 53 58 59 84 93 97", "checksum": "f62a", "collatz": "111",
        "transfer": "70 and 80", "guard": "allowed", "crc32": "cbf43926",
    }
    for name, answer in answers.items():
        browser.choose("#demo", name)
        browser.click("#run")
        browser.wait("#outcome", answer, "instructions")
    browser.choose("#demo", "guard")
    browser.click("#presets button:nth-child(2)")
    browser.click("#run")
    browser.wait("#outcome", "refused, the limit of the day (4)")
    browser.choose("#demo", "fib")
    browser.type("#argument-0", "x")
    browser.click("#run")
    browser.wait("#outcome", "Not run", "no number")


def own_programs(browser):
    browser.choose("#demo", "own")
    browser.click("#run")
    browser.wait("#outcome", "0x11 (17)")
    browser.type("#source", "ldxdw r0, [r1+0]\nmul64 r0, 3\nexit")
    browser.type("#input", "0e00000000000000")
    browser.click("#run")
    browser.wait("#outcome", "0x2a (42)")
    browser.type("#source", "ldxb r0, [r0+0]\nexit")
    browser.click("#run")
    browser.wait("#outcome", "AccessViolation", "Access violation reading 1 bytes at address 0x0")
    for garbage in ["this is not assembly", "\u2603\u0000<script>alert(1)</script>", ""]:
        browser.type("#source", garbage)
        browser.click("#run")
        browser.wait("#outcome", "Not run")
    browser.type("#source", "ja -1")
    browser.type("#units", "99999999999")
    browser.click("#run")
    browser.wait("#outcome", "Not run", "too many")
    browser.type("#units", "1000000")
    browser.click("#run")
    browser.wait("#outcome", "ExceededMaxInstructions")
    browser.type("#input", "zz")
    browser.click("#run")
    browser.wait("#outcome", "Not run", "hex")
    browser.type("#input", "")
    with tempfile.NamedTemporaryFile(suffix=".so") as file:
        file.write(b"\x7fELF garbage")
        file.flush()
        browser.on("POST", f"/element/{browser.find('#file')}/value", {"text": file.name})
        browser.click("#run")
        browser.wait("#outcome", "Not run", "ELF")


def elf(browser, repository):
    browser.on("POST", f"/element/{browser.find('#file')}/value", {"text": os.path.join(repository, "programs/crc32/crc32.so")})
    browser.type("#input", "0900000000000000" + b"123456789".hex())
    browser.click("#run")
    browser.wait("#outcome", "0xcbf43926")


def steps(browser):
    browser.choose("#demo", "fib")
    browser.click("#step")
    browser.wait("#instruction", "ldxdw r2, [r1+0]")
    browser.wait("#reads", "r1 = 0x400000000", "input[0x0] = 0x5a")
    browser.wait("#writes", "r2 = 0x5a")
    assert browser.script("return document.querySelector('#back').disabled")
    browser.click("#forward")
    browser.wait("#instruction", "mov64 r0, 0")
    browser.click("#back")
    browser.wait("#instruction", "ldxdw r2")
    browser.type("#number", "5")
    browser.click("#goto button")
    browser.wait("#instruction", "add64 r4, r3")
    browser.wait("#gates", "Add", "writes")
    for stage in ["meter", "fetch", "decode", "alu", "registers", "observe"]:
        browser.script("[...document.querySelectorAll('#flow button')].find(b => b.innerText.startsWith(arguments[0])).click()", stage)
        browser.wait("#layers-title", stage)
        assert browser.script("return document.querySelectorAll('#layers canvas').length") > 0, stage
    assert not browser.script("return document.querySelector('#layers').innerText.includes('not one-hot')")
    browser.script("document.querySelector('#forward').focus()")
    browser.on("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
        {"type": "keyDown", "value": "\ue014"}, {"type": "keyUp", "value": "\ue014"}]}]})
    browser.wait("#instruction", "mov64 r0, r3")
    browser.type("#number", "544")
    browser.click("#goto button")
    browser.wait("#instruction", "exit")
    browser.wait("#position", "the program ends here")
    assert browser.script("return document.querySelector('#forward').disabled")
    browser.type("#number", "999999")
    browser.click("#goto button")
    browser.wait("#instruction", "exit")


def verdicts(browser):
    for number, (verdict, rule) in enumerate(
        [("allow", "ordinary"), ("hold", "large to new"), ("hold", "huge"), ("block", "huge to new"), ("block", "code")], 1
    ):
        browser.click(f"#examples button:nth-child({number})")
        browser.wait("#verdict", verdict, f"Rule: {rule}")
    browser.type("#amount", "many")
    browser.click("#ask")
    browser.wait("#verdict", "Not judged", "Amount")
    browser.type("#amount", "10")
    browser.type("#history", "yesterday a lot")
    browser.click("#ask")
    browser.wait("#verdict", "Not judged", "line 1 of the history")


def results(browser, repository):
    shown = browser.text("#suites")
    files = os.listdir(os.path.join(repository, "results"))
    names = [name.removesuffix(".json") for name in files if name.endswith(".json")]
    assert len(names) > 5 and all(name in shown for name in names), shown
    browser.wait("#speed", "alu64")


def phone_and_colours(browser, pictures):
    """No sideways scrolling at any width, readable in both schemes."""
    for width, dark in [(1280, False), (1280, True), (360, False), (360, True)]:
        browser.look(width, 900 if width > 500 else 780, dark)
        browser.choose("#demo", "fib")
        browser.click("#run")
        browser.wait("#outcome", "instructions")
        browser.click("#step")
        browser.wait("#instruction", "ldxdw")
        browser.type("#number", "5")
        browser.click("#goto button")
        browser.wait("#instruction", "add64")
        wide = browser.script("return [document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], wide
        colours = browser.script("const s = getComputedStyle(document.body); return [s.color, s.backgroundColor]")
        light = [sum(int(part) for part in colour.strip("rgb()").split(",")) > 384 for colour in colours]
        assert light == [dark, not dark], colours
        if pictures is not None:
            kind = f"{'phone' if width < 500 else 'desktop'}-{'dark' if dark else 'light'}"
            browser.script("document.documentElement.style.scrollBehavior = 'auto'")
            for place in ["program", "steps", "judge", "results"]:
                browser.script("document.getElementById(arguments[0]).scrollIntoView()", place)
                time.sleep(0.2)
                browser.picture(os.path.join(pictures, f"{kind}-{place}.png"))


def main(svmllm, pictures=None):
    repository = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
    server = subprocess.Popen([svmllm, "serve", "--listen", "127.0.0.1:0", "--results", os.path.join(repository, "results")],
                              stdout=subprocess.PIPE, text=True)
    driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
    try:
        page = server.stdout.readline().split()[0]
        port = next(line.split()[-1].rstrip(".") for line in driver.stdout if "on port" in line and "started" in line)
        browser = Browser(port)
        try:
            browser.look(1280, 900, False)
            browser.on("POST", "/url", {"url": page})
            for check in [programs, own_programs, steps, verdicts]:
                check(browser)
                print(f"{check.__name__} ok", flush=True)
            browser.on("POST", "/url", {"url": page})
            browser.wait("#facts", "SHA-256")
            results(browser, repository)
            browser.choose("#demo", "own")
            elf(browser, repository)
            phone_and_colours(browser, pictures)
            problems = [entry for entry in browser.on("POST", "/se/log", {"type": "browser"})
                        if entry["level"] == "SEVERE" and "/api/" not in entry["message"]]
            assert not problems, problems
            print("results, files, phone and colours ok")
        finally:
            browser.on("DELETE", "")
        assert server.poll() is None
    finally:
        driver.terminate()
        server.terminate()


if __name__ == "__main__":
    if not 2 <= len(sys.argv) <= 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
