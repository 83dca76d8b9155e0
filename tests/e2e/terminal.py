# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Commands on a pseudo-terminal of their own, where that is enough; tests of whole screens use tmux."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
import threading

from conftest import TIMEOUT_S, clean_environment

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def on_terminal(*command, env=None, width=80, height=24, keys=b"", when=None, **streams):
    """Runs it with a terminal as the standard streams but those that are given; (status, what the terminal got).
    `keys` are typed before. `when`: (a regular expression, what is called once the terminal got a match)."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", height, width, 0, 0))
    settings = termios.tcgetattr(theirs)
    settings[1] &= ~termios.OPOST
    settings[3] &= ~termios.ECHO
    termios.tcsetattr(theirs, termios.TCSANOW, settings)
    got, waits = [], [when] if when else []

    def read():
        try:
            while some := os.read(ours, 65536):
                got.append(some)
                if waits and re.search(waits[0][0], b"".join(got).decode("utf-8", "replace")):
                    waits.pop()[1]()
        except OSError:  # nobody has the terminal open any more
            pass

    os.write(ours, keys)
    environment = {name: value for name, value in clean_environment().items() if name not in ("NO_COLOR", "COLUMNS")}
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs, **streams}
    process = subprocess.Popen([str(word) for word in command], env={**environment, "TERM": "xterm", "HEDDLE_PAGER": "cat", **(env or {})}, **streams)
    os.close(theirs)
    reader = threading.Thread(target=read)
    reader.start()
    status = process.wait(timeout=TIMEOUT_S)
    reader.join(timeout=TIMEOUT_S)
    read()  # Linux may say EIO to a reader who finds nothing just before the last bytes are written and it is closed
    os.close(ours)
    return status, b"".join(got).decode("utf-8", "surrogateescape")
