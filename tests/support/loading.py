"""Texts that make a front end load something, and a listener that notices. Each was seen to work somewhere."""

from __future__ import annotations

import base64
import contextlib
import http.server
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="  # one pixel

# {at} is an address that answers, without what comes after it; {host} is the same without its scheme.
VECTORS = (
    "![x]({at}a.png)",
    "![x](<{at}a.png> 'a title')",
    "![x][ref]\n\n[ref]: {at}a.png",
    "![ref]\n\n[REF]: {at}a.png 'a title'",
    "[![x]({at}a.png)](http://example.invalid/)",
    "![a ![b]({at}a.png) c](http://example.invalid/a.png)",
    "![x](//{host}a.png)",
    "![x](htt&#112;://{host}a.png) ![x](http&colon;//{host}b.png)",
    "![x](http:\\/\\/{host}a.png)",
    "![x]({at}%2e%2e/a.png)",
    "![two\nlines]({at}a.png)",
    "- one\n  > ![x]({at}a.png)",
    "| a |\n|---|\n| ![x]({at}a.png) |",
    "# ![x]({at}a.png)",
    "![x](../../../api/a.png) ![x](/lab/a.png)",
    "<img src='{at}a.png'>",
    "<IMG\nSRC={at}a.png>",
    "<img src='data:image/png;base64,AA' srcset='{at}a.png 2x'>",
    "<picture><source srcset='{at}a.png'><img src='data:,'></picture>",
    "<video src='{at}a.mp4' poster='{at}b.png' autoplay></video>",
    "<video autoplay><source src='{at}a.mp4'><track default src='{at}a.vtt'></video>",
    "<audio src='{at}a.mp3' autoplay></audio>",
    "<iframe src='{at}a.html'></iframe>",
    "<object data='{at}a.svg'></object><embed src='{at}b.svg'>",
    "<link rel=stylesheet href='{at}a.css'>",
    "<style>@import '{at}a.css'; body {background: url({at}b.png)}</style>",
    "<p style=\"background:url('{at}a.png')\">styled</p>",
    '<p style="background-image: url({at}a.png); list-style-image: url({at}b.png)">styled</p>',
    "<table background='{at}a.png'><tr><td background='{at}b.png'>cell</td></tr></table>",
    "<input type=image src='{at}a.png'>",
    "<svg><image href='{at}a.png'/><image xlink:href='{at}b.png'/><style>@import '{at}c.css'</style></svg>",
    "<math><mglyph src='{at}a.png'/><annotation-xml encoding='text/html'><img src='{at}b.png'></annotation-xml></math>",
    "<script>fetch('{at}a')</script><img src=x onerror=\"fetch('{at}b')\">",
    "<a href='{at}a' ping='{at}b'>ping</a> <a href='javascript:fetch(\"{at}c\")'>a script</a>",
    "<meta http-equiv=refresh content='0;url={at}a'><base href='{at}'>",
    "<!-- --><img src='{at}a.png'> <!-- <img src='{at}b.png'> -->",
    "`<!--` ![x]({at}a.png) -->",
    "<div>\n\n![x]({at}a.png)\n\n</div>",
    "<div markdown=1>![x]({at}a.png)<img src='{at}b.png'></div>",
    "<details><summary>more</summary>\n\n![x]({at}a.png)\n</details>",
    "`code` ``![no]({at}a.png)`` ` ![x]({at}b.png)",
    "```\ncode\n```\n![x]({at}a.png)\n\n    ![no]({at}b.png)",
    "~~~\n```\n~~~\n<img src='{at}a.png'>",
    "$a$ ![x]({at}a.png) $b$",
    "@@0@@ $x$ ![@@0@@]({at}a.png)",
    "$$\n\\href{{at}a}{x} \\url{{at}b}\n$$",
    "$\\unicode[x;background:url({at}a.png)]{65}$",
    "$\\bbox[background:url({at}a.png)]{x} \\style{background:url({at}b.png)}{x}$",
    "$\\require{html}\\style{background-image:url({at}a.png)}{x} \\cssId{score}{x}$",
    "$\\fcolorbox{red;background:url({at}a.png)}{white}{x} \\color{red;background:url({at}b.png)}{y}$",
    "$\\mmlToken{mi}[style='background:url({at}a.png)']{x} \\includegraphics{{at}b.png}$",
    "$\\newcommand{\\q}{\\unicode[x;background:url({at}a.png)]} \\q{65}$",
    "```mermaid\ngraph TD\n A[\"<img src='{at}a.png'>\"] --> B\n```",
    '~~~ mermaid\nflowchart TD\n A@{ img: "{at}a.png", label: "x", w: 60, h: 60 }\n~~~',
    '> ```Mermaid\n> flowchart TD\n>  A@{ img: "{at}a.png", label: "x", w: 60, h: 60 }\n> ```',
    '```mermaid\nflowchart TD\n A@{ img: "{at}a.png", label: "x", w: 60, h: 60 }\n```',
    "[text]({at}a 'a title') [other][ref] {at}b <{at}c> www.example.invalid\n\n[ref]: {at}d",
)


def vectors(host: str) -> list[str]:
    """The vectors with addresses at a host, each with its own number in them."""
    return [
        text.replace("{at}", f"http://{host}/vector-{number}-").replace("{host}", f"{host}/vector-{number}-")
        for number, text in enumerate(VECTORS)
    ]


@dataclass
class Listener:
    """A server on this machine that answers everything with a picture, and remembers what it was asked for."""

    host: str
    asked: list[str] = field(default_factory=list)

    @property
    def numbers(self) -> set[int]:
        """The vectors that got through."""
        return {int(found[1]) for found in (re.search(r"vector-(\d+)-", path) for path in self.asked) if found}


@contextlib.contextmanager
def listening() -> Iterator[Listener]:
    """A listener on a free port."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            listener.asked.append(self.path)
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.send_header("Access-Control-Allow-Origin", "*")
            self.end_headers()
            self.wfile.write(base64.b64decode(PNG))

        do_POST = do_HEAD = do_OPTIONS = do_GET

        def log_message(self, format: str, *args: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        listener = Listener(f"127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield listener
        server.shutdown()
        thread.join()
