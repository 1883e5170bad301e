"""A whole server as docs/server.md sets it up: nginx with TLS, three processes, PostgreSQL, a sign-in provider.

The files are those of docs/deployment; only names, ports and paths are other ones.
"""

import os
import shlex
import signal
import ssl
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from configparser import ConfigParser
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.browser.driving import ROOT, START_SECONDS, end, free_port
from tests.leash import leashed
from tests.narrowing import present
from tests.programs import nginx

FILES = ROOT / "docs" / "deployment"
NAME = "localhost"
"""In place of dpq.example.org."""
LETTERS = "abc"
KEY, SECRET = "a key for the tests", "c" * 64
MAIN = """
{user}
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/nginx-error.log;
events {{ worker_connections 1024; }}
http {{
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/site.conf;
}}
"""
"""What stands around the site in Debian's /etc/nginx/nginx.conf, in a folder of its own."""


def adapted(name: str, changes: Mapping[str, str]) -> str:
    """A file of docs/deployment with names, ports and paths of this machine; each of them stands in it."""
    text = (FILES / name).read_text(encoding="utf-8")
    for old, new in changes.items():
        assert old in text, f"{old} is not in {name}"
        text = text.replace(old, new)
    return text


@dataclass
class Process:
    """One process of the dashboard."""

    port: int
    log: Path
    running: subprocess.Popen[bytes]

    def kill(self) -> None:
        """End it at once (SIGKILL), as the machine does that has no memory left."""
        os.kill(self.running.pid, signal.SIGKILL)
        self.running.wait(30)


@dataclass
class Machine:
    """The server as a visitor reaches it."""

    folder: Path
    url: str
    """https, without a slash at its end."""
    plain_url: str
    """http, which leads to the other one."""
    provider: str
    ledger: str
    processes: dict[str, Process]
    """By their letters in nginx's cookie."""

    @property
    def trust(self) -> ssl.SSLContext:
        """Who trusts this server's certificate and no other."""
        return ssl.create_default_context(cafile=str(self.folder / "fullchain.pem"))

    @property
    def trust_in_threads(self) -> ssl.SSLContext:
        """The same for a WebSocket, from which one thread reads while another writes: TLS 1.2.

        In 1.3 the server speaks once more after the handshake; where that is read while the other thread writes, Python
        3.11 loses what is written.
        """
        trust = self.trust
        trust.maximum_version = ssl.TLSVersion.TLSv1_2
        return trust

    @property
    def errors(self) -> str:
        """What nginx and the processes complained of."""
        logs = [self.folder / "nginx-error.log", *(process.log for process in self.processes.values())]
        return "\n".join(log.read_text(errors="replace") for log in logs if log.exists())

    def stop(self, letter: str) -> None:
        """End a process as a new start of the server does."""
        end(self.processes[letter].running)

    def start(self, letter: str) -> None:
        """Start a process that was killed, as systemd does (Restart=always), and wait until it answers."""
        port = self.processes[letter].port
        self.processes[letter] = process = _process(self.folder, port)
        _wait_for(f"http://{NAME}:{port}/_stcore/health", process.running, process.log)


@contextmanager
def machine(folder: Path, ledger: str, curators: Sequence[str], processes: int = 3) -> Iterator[Machine]:
    """Run everything until the block ends. With fewer processes nginx finds the others dead from the beginning."""
    ports = {letter: free_port() for letter in LETTERS}
    https, http, provider_port = free_port(), free_port(), free_port()
    url, provider = f"https://{NAME}:{https}", f"http://127.0.0.1:{provider_port}"
    _write_settings(folder, url, provider, ledger, curators)
    with ExitStack() as ending:
        metadata = f"{provider}/.well-known/openid-configuration"
        command = [sys.executable, "-m", "oidc_provider_mock", "--host", "127.0.0.1", "--port", str(provider_port)]
        signing_in = _run(command, folder / "provider.log", dict(os.environ))
        ending.callback(end, signing_in)
        started = {letter: _process(folder, ports[letter]) for letter in LETTERS[:processes]}
        found = Machine(folder, url, f"http://{NAME}:{http}", provider, ledger, started)
        for letter in started:
            ending.callback(found.stop, letter)
        server = _nginx(folder, ports, https, http)
        ending.callback(end, server)
        _wait_for(metadata, signing_in, folder / "provider.log")
        for process in started.values():
            _wait_for(f"http://{NAME}:{process.port}/_stcore/health", process.running, process.log)
        _wait_for(f"{url}/_stcore/health", server, folder / "nginx-error.log", found.trust)
        yield found


def _write_settings(folder: Path, url: str, provider: str, ledger: str, curators: Sequence[str]) -> None:
    changes = {
        "postgresql:///dpq?host=/run/postgresql": ledger, "DPQ_LEDGER_KEY=": f'DPQ_LEDGER_KEY="{KEY}"',
        "/var/lib/dpq": str(folder / "heads"), "ada@example.org,bob@example.org": ",".join(curators),
        "/etc/dpq/secrets.toml": str(folder / "secrets.toml"), "dpq.example.org": NAME,
    }  # fmt: skip
    (folder / "dpq.env").write_text(adapted("dpq.env", changes))
    changes = {
        "https://dpq.example.org": url, 'cookie_secret = ""': f'cookie_secret = "{SECRET}"',
        'client_id = ""': 'client_id = "dpq"', 'client_secret = ""': f'client_secret = "{SECRET}"',
        "https://login.example.org": provider,
    }  # fmt: skip
    (folder / "secrets.toml").write_text(adapted("secrets.toml", changes))
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    command += ["-days", "2", "-subj", f"/CN={NAME}", "-addext", f"subjectAltName=DNS:{NAME}"]
    command += ["-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")]
    subprocess.run(command, check=True, capture_output=True, timeout=60)


def _process(folder: Path, port: int) -> Process:
    """Start what the unit of systemd starts."""
    unit = ConfigParser(interpolation=None)
    unit.optionxform = str  # type: ignore[assignment, method-assign]
    unit.read(FILES / "dpq@.service")
    service = unit["Service"]
    assert service["EnvironmentFile"] == "/etc/dpq/dpq.env"
    assert service["WorkingDirectory"] == "/opt/dpq"
    command = shlex.split(service["ExecStart"].replace("/opt/dpq/.venv/bin/python", sys.executable))
    settings = dict(line.split("=", 1) for line in shlex.split((folder / "dpq.env").read_text(), comments=True))
    settings |= dict([service["Environment"].replace("%i", str(port)).split("=", 1)])
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("DPQ_", "STREAMLIT_"))}
    log = folder / f"{port}.log"
    return Process(port, log, _run(command, log, inherited | settings))


def _nginx(folder: Path, ports: Mapping[str, int], https: int, http: int) -> subprocess.Popen[bytes]:
    changes = {f":{8511 + at}": f":{port}" for at, port in enumerate(ports.values())}
    changes |= {"listen [::]:80": "# listen [::]:80", "listen [::]:443": "# listen [::]:443"}  # not on every machine
    changes |= {" 80": f" 127.0.0.1:{http}", " 443": f" 127.0.0.1:{https}"}
    changes |= {"https://dpq.example.org": f"https://{NAME}:{https}", "dpq.example.org": NAME}
    changes |= {"/etc/letsencrypt/live/dpq": str(folder), "/var/log/nginx": str(folder)}
    (folder / "site.conf").write_text(adapted("nginx.conf", changes))
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(MAIN.format(user=user, folder=folder))
    command = [present(nginx()), "-p", str(folder), "-e", str(folder / "nginx-error.log")]
    return _run([*command, "-c", str(folder / "nginx.conf")], folder / "nginx-output.log", dict(os.environ))


def _run(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    with log.open("ab") as sink:
        return subprocess.Popen(
            leashed(command), cwd=ROOT, env=dict(environment), stdin=subprocess.DEVNULL, stdout=sink, stderr=sink
        )


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path, trust: ssl.SSLContext | None = None) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        assert process.poll() is None, log.read_text(errors="replace")
        assert time.monotonic() < deadline, f"{url} did not answer in time"
        try:
            with urllib.request.urlopen(url, timeout=2, context=trust):
                return
        except OSError:
            time.sleep(0.1)
