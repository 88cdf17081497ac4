"""`concord register`, `concord pack` and `concord verify`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from concord.cli.options import EngineName, JsonAlone, Scheduler, engine_of
from concord.cli.shared import note, print_or_show
from concord.errors import OptionError


def register(
    source: Annotated[
        list[str],
        typer.Argument(
            help="A study (file or name; several), a plan (YAML: question, model, ...), a run's folder, or a "
            "table.",
            metavar="PLAN_OR_STUDY",
        ),
    ],
    claims: Annotated[Path | None, typer.Option(help="Claims (YAML): claim, who, margin, level.")] = None,
    out: Annotated[Path, typer.Option(help="File to write; Markdown beside it.")] = Path("registration.json"),
    model: Annotated[
        list[str] | None, typer.Option(help="PROVIDER/MODEL that will be asked; several.")
    ] = None,
    n: Annotated[
        int | None, typer.Option(help="Participants in each cell (default: as in the study).")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option(help="Sampling temperature (default: as usual).")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Seed sent to the provider.")] = None,
    run_out: Annotated[
        Path | None, typer.Option(help="Folder that the run will be kept in (default: runs/...).")
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option("--with", help="NAME=VALUE: any other option of `concord run`; several times."),
    ] = None,
    protocol: Annotated[str | None, typer.Option(help="Protocol that will be scored by (standard).")] = None,
    level: Annotated[float | None, typer.Option(help="Coverage of intervals (0.95).")] = None,
    after_the_fact: Annotated[
        bool, typer.Option("--after-the-fact", help="Register although replies exist, marked so.")
    ] = False,
    json: JsonAlone = False,
) -> None:
    """Lock what will be asked, computed and claimed, with the hash of every input, before any reply."""
    from concord.proof.registering import register as registered

    options: dict[str, Any] = {"n": n, "temperature": temperature, "seed": seed, "run_out": run_out}
    options = {name: value for name, value in options.items() if value is not None} | plain_options(with_)
    if model:
        options["models"] = ",".join(model)
    score = {name: value for name, value in (("protocol", protocol), ("level", level)) if value is not None}
    given = source[0] if len(source) == 1 else source
    made = registered(given, claims, out=out, after_the_fact=after_the_fact, score=score, **options)
    print_or_show(made, as_json=json)
    note(f"wrote {out} and {out.with_suffix('.md').name}")


def plain_options(given: list[str] | None) -> dict[str, Any]:
    """Read NAME=VALUE, several times; values that are YAML numbers or words are such."""
    from concord.files.yaml_file import read_yaml

    found = {}
    for text in given or ():
        name, sign, value = text.partition("=")
        if not sign or not name.strip():
            raise OptionError(f"--with {text!r}: expected NAME=VALUE, such as n=20")
        held = read_yaml(f"value: {value}".encode(), name=f"--with {name}").data
        found[name.strip().replace("-", "_")] = held["value"]
    return found


def pack(
    results: Annotated[
        list[Path], typer.Argument(help="Folder of a run, of results, or several.", metavar="RESULTS")
    ],
    registration: Annotated[Path | None, typer.Option(help="What `concord register` wrote.")] = None,
    out: Annotated[Path, typer.Option(help="The archive to write.")] = Path("pack.zip"),
    claims: Annotated[
        Path | None, typer.Option(help="Further claims that are made, beyond the registered ones (YAML).")
    ] = None,
    data: Annotated[
        list[Path] | None, typer.Option(help="Tables that were scored, where they lie elsewhere; several.")
    ] = None,
    without_data: Annotated[
        bool, typer.Option("--without-data", help="Hold only hashes of the tables that were scored.")
    ] = False,
    without_replies: Annotated[
        bool, typer.Option("--without-replies", help="Hold only hashes of the replies of runs.")
    ] = False,
    disclosure: Annotated[
        Path | None, typer.Option(help="Answers to items of the disclosure form (YAML).")
    ] = None,
    with_: Annotated[
        list[str] | None,
        typer.Option("--with", help="NAME=VALUE: option of the scoring that results do not record."),
    ] = None,
    check: Annotated[bool, typer.Option("--check/--no-check", help="Verify the pack at once.")] = True,
) -> None:
    """Pack results with data, replies, registration, claims and a disclosure form."""
    from concord import api
    from concord.proof.disclosure import Disclosure
    from concord.proof.packs import kept_in

    path = api.pack(
        results,
        registration=registration,
        out=out,
        claims=claims,
        data=[] if data is None else data,
        without_data=without_data,
        without_replies=without_replies,
        disclosure=disclosure,
        options=plain_options(with_) or None,
    )
    blanks = kept_in(path, Disclosure).blanks
    note(f"wrote {path} ({path.stat().st_size:,} bytes)")
    note(
        f"the disclosure form has {len(blanks)} blanks: {'; '.join(blanks)}; fill them with --disclosure FILE"
    )
    if check:
        found = api.verify(path, data=[] if data is None else data)
        print_or_show(found, as_json=False)


def verify(
    source: Annotated[Path, typer.Argument(help="What `concord pack` wrote.", metavar="PACK")],
    data: Annotated[
        list[Path] | None, typer.Option(help="Files that the pack holds only the hash of; several.")
    ] = None,
    registration: Annotated[
        Path | None, typer.Option(help="The published registration, which the pack has to hold.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for what was found, as files.")] = None,
    engine: EngineName = "serial",
    scheduler: Scheduler = None,
    json: JsonAlone = False,
) -> None:
    """Compute every number of a pack again; exit 1 where it differs, 3 if not all can be checked."""
    from concord import api

    found = api.verify(
        source,
        data=[] if data is None else data,
        registration=registration,
        engine=engine_of(engine, scheduler),
    )
    if out is not None:
        found.write(out)
    print_or_show(found, as_json=json)
    if found.exit_code:
        raise typer.Exit(code=found.exit_code)
