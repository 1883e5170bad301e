"""Uploads without a browser: whole ones, and bodies that arrive as somebody likes who does not mean well."""

from __future__ import annotations

import select
import socket
import urllib.request
from urllib.parse import urlsplit
from uuid import uuid4

from streamlit.proto.Common_pb2 import FileUploaderState, FileURLs, UploadedFileInfo
from streamlit.proto.WidgetStates_pb2 import WidgetState

from tests.load.visitor import ANSWER_SECONDS, Visitor

BEGINS = b'--part\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n'
ENDS = b"\r\n--part--\r\n"


def upload(url: str, visitor: Visitor, content: bytes, file_id: str = "") -> int:
    """Upload a file from a page that shows an uploader; the status of the answer."""
    path = _path(visitor, file_id)
    asked = urllib.request.Request(f"{url}{path}", BEGINS + content + ENDS, _headers(visitor), method="PUT")
    with urllib.request.urlopen(asked, timeout=ANSWER_SECONDS) as answer:
        return int(answer.status)


def bring_file(url: str, visitor: Visitor, content: bytes) -> None:
    """Declare a file public, upload it, and tell the page so, as its uploader does."""
    public = visitor.widget_id("checkbox", "This data is public or synthetic")
    visitor.act(WidgetState(id=public, bool_value=True))
    file_id = str(uuid4())
    assert upload(url, visitor, content, file_id) == 204
    brought = UploadedFileInfo(file_id=file_id, name="a.csv", size=len(content), file_urls=FileURLs(file_id=file_id))
    state = FileUploaderState(uploaded_file_info=[brought])
    visitor.act(WidgetState(id=visitor.widget_id("file_uploader", "File"), file_uploader_state_value=state))


class Upload:
    """The body of an upload of which so many bytes are announced, and which is sent bit by bit."""

    def __init__(self, url: str, visitor: Visitor, announced: int, *, chunked: bool = False) -> None:
        """`chunked`: sent in chunks besides, whose end the server knows by themselves."""
        self._url, self._visitor, self._announced, self._chunked = url, visitor, announced, chunked
        self.ended: list[int | None] = []
        """What the server said each time when it ended one; None where it only closed the connection."""

    def __enter__(self) -> Upload:
        self.begin()
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()

    def begin(self) -> None:
        """Announce it on a new connection, and send nothing yet."""
        address, self._begun = urlsplit(self._url), False
        self._connection = socket.create_connection((address.hostname, address.port or 80), timeout=30)
        headers = {"Host": address.netloc, **_headers(self._visitor), "Content-Length": str(self._announced)}
        headers |= {"Transfer-Encoding": "chunked"} if self._chunked else {}
        lines = [f"PUT {_path(self._visitor)} HTTP/1.1", *(f"{name}: {text}" for name, text in headers.items()), "", ""]
        self._connection.sendall("\r\n".join(lines).encode())

    def send(self, content: bytes) -> bool:
        """Send some more of the file; whether the server still listens."""
        try:
            if not select.select([self._connection], [], [], 0)[0]:
                self._send(content)
                return True
            answer = self._connection.recv(1 << 16)
        except OSError:
            answer = b""
        self._connection.close()
        self.ended.append(int(answer.split()[1]) if answer else None)
        return False

    def _send(self, content: bytes) -> None:
        if not content:
            return
        part = content if self._begun else BEGINS + content
        self._begun = True
        self._connection.sendall(b"%x\r\n%b\r\n" % (len(part), part) if self._chunked else part)


def _path(visitor: Visitor, file_id: str = "") -> str:
    return f"/_stcore/upload_file/{visitor.session}/{file_id or uuid4()}"


def _headers(visitor: Visitor) -> dict[str, str]:
    return {
        "Cookie": visitor.cookie,
        "X-Xsrftoken": visitor.cookie.partition("=")[2],
        "Content-Type": "multipart/form-data; boundary=part",
    }
