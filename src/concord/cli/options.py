"""Options that several commands have, declared once: the same name, meaning and help everywhere."""

from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of the table.")]
JsonText = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
JsonAlone = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Sheet = Annotated[str | None, typer.Option(help="Sheet of a workbook (default: the first).")]
Encoding = Annotated[str | None, typer.Option(help="Encoding of text files (UTF-8).")]
DecimalComma = Annotated[bool, typer.Option("--decimal-comma", help="0,85 is a number.")]
Level = Annotated[float, typer.Option(help="Nominal coverage of intervals.")]
EngineName = Annotated[str, typer.Option(help="serial, processes or dask.")]
Scheduler = Annotated[str | None, typer.Option(help="Address of the Dask scheduler, tcp://HOST:PORT.")]
Full = Annotated[bool, typer.Option("--full", help="Show every table, not the headline alone.")]
