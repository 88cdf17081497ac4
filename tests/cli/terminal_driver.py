"""Run many commands in one process inside a terminal: one JSON list of argument lists and a width at a time.

Usage: ``python terminal_driver.py COMMANDS.json COLUMNS``; each command is announced by a line of its own.
"""

import fcntl
import json
import struct
import sys
import termios
import traceback
from pathlib import Path


def main() -> None:
    """Set the width of this terminal, and run every command in it."""
    commands, columns = json.loads(Path(sys.argv[1]).read_text("utf-8")), int(sys.argv[2])
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    from concord.cli.app import app

    for i, command in enumerate(commands):
        sys.stdout.write(f"\n@@ {i}\n")
        sys.stdout.flush()
        ended: object = 0
        try:
            app(command, prog_name="concord", standalone_mode=True)
        except SystemExit as end:
            ended = end.code
        except BaseException:  # noqa: BLE001 - a fault of one command is told, the others still run
            traceback.print_exc()
            ended = "fault"
        sys.stderr.flush()
        sys.stdout.write(f"\n== {ended}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
