"""One seam for work that comes in independent blocks: this process, many processes, or a Dask cluster.

Blocks are fixed before they are handed out, each with its own seed, and come back in their order: the engine
changes how long it takes and nothing else.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from concord.errors import MissingExtraError, OptionError

Block = TypeVar("Block")
Result = TypeVar("Result")

ENGINES = ("serial", "processes", "dask")


@dataclass(frozen=True, slots=True)
class Engine:
    """Where blocks are computed."""

    name: str = "serial"
    """``serial``, ``processes`` (the cores of this machine) or ``dask`` (a running cluster)."""
    n_jobs: int | None = None
    """Processes; all cores by default."""
    scheduler: str | None = None
    """Address of the Dask scheduler, such as ``tcp://127.0.0.1:8786``; a client already open by default."""

    def map(self, function: Callable[[Block], Result], blocks: Iterable[Block]) -> list[Result]:
        """Apply a function to every block and return the results in the order of the blocks.

        Parameters
        ----------
        function
            Defined at the top of a module, so that other processes can load it.
        blocks
            What each call gets; must carry its own seed where it draws.
        """
        work = list(blocks)
        if self.name == "serial" or len(work) < 2:
            return [function(block) for block in work]
        joblib = _joblib()
        with self._backend(joblib):
            jobs = None if self.name == "dask" else (self.n_jobs if self.n_jobs is not None else -1)
            return list(joblib.Parallel(n_jobs=jobs)(joblib.delayed(function)(block) for block in work))

    @contextmanager
    def _backend(self, joblib: Any) -> Iterator[None]:
        """Choose joblib's backend; a client opened here is closed here."""
        if self.name == "processes":
            with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
                yield
            return
        with _client(self.scheduler), joblib.parallel_config(backend="dask"):
            yield


SERIAL = Engine()
"""The default: everything in this process."""


def get_engine(name: str = "serial", *, n_jobs: int | None = None, scheduler: str | None = None) -> Engine:
    """Return an engine by name.

    Parameters
    ----------
    name
        ``serial``, ``processes`` or ``dask``.
    n_jobs
        Processes of ``processes``; all cores by default.
    scheduler
        Address of the scheduler of ``dask``.

    Raises
    ------
    OptionError
        There is no such engine, or an option that it does not have.

    References
    ----------
    joblib: https://joblib.readthedocs.io; Rocklin, M. (2015). Dask: parallel computation with blocked
    algorithms and task scheduling. Proceedings of the 14th Python in Science Conference, 126-132.

    Examples
    --------
    >>> get_engine("serial").map(abs, [-2, 3])
    [2, 3]
    """
    if name not in ENGINES:
        raise OptionError(f"engine is {name!r}; expected one of {', '.join(ENGINES)}")
    if scheduler is not None and name != "dask":
        raise OptionError(f"a scheduler was given, but the engine is {name!r}; add engine 'dask'")
    if n_jobs is not None and n_jobs < 1:
        raise OptionError(f"jobs is {n_jobs!r}; expected at least 1")
    return Engine(name, n_jobs, scheduler)


def _joblib() -> Any:
    """Load joblib when it is first needed."""
    import joblib

    return joblib


@contextmanager
def _client(scheduler: str | None) -> Iterator[None]:
    """Connect to a scheduler for a while, or use the client that is already open."""
    try:
        from distributed import Client, get_client
    except ImportError as error:
        raise MissingExtraError("the engine 'dask'", "dask") from error
    if scheduler is None:
        try:
            get_client()
        except ValueError as error:
            message = "the engine 'dask' found no open client; give the scheduler's address, tcp://HOST:PORT"
            raise OptionError(message) from error
        yield
        return
    try:
        client: Any = Client(scheduler, timeout="10s", set_as_default=True)
    except (OSError, ValueError) as error:
        raise OptionError(
            f"no Dask scheduler answers at {scheduler!r}: start one, or correct the address"
        ) from error
    with client:
        yield
