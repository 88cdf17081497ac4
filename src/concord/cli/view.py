"""`concord view`."""

from pathlib import Path
from typing import Annotated

import typer

from concord.cli.shared import note, say


def view(
    folder: Annotated[Path, typer.Argument(help="Folder with runs and results.")] = Path(),
    port: Annotated[int, typer.Option(help="Port on this machine; 0: a free one.")] = 0,
) -> None:
    """Look at runs while they are asked, at results and replies, in the browser; this machine only."""
    import socket

    from concord.errors import OptionError
    from concord.numeric import check_numbers
    from concord.view.server import new_token, serve

    if not folder.is_dir():
        raise OptionError(f"{folder} is not a folder")
    check_numbers({"port": port})
    if not port:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = int(free.getsockname()[1])
    token = new_token()
    say(f"http://127.0.0.1:{port}/{token}/")
    note("open the address in a browser; Ctrl-C ends it")
    serve(folder.resolve(), port=port, token=token)
