"""One seam for work that comes in independent blocks: this process, many processes, or a Dask cluster.

Blocks are fixed before they are handed out, each with its own seed, and come back in their order: the engine
changes how long it takes and nothing else. What all blocks share (the function and the arrays bound to it)
is sent once to every worker, and blocks travel in batches, a few for each worker.
"""

import ctypes
import hashlib
import os
import pickle
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from concord.errors import MissingExtraError, OptionError

Block = TypeVar("Block")
Result = TypeVar("Result")

ENGINES = ("serial", "processes", "dask")
BATCHES_PER_WORKER = 6
"""Batches for each worker: enough to even out unequal blocks, few enough to cost next to nothing."""
SMALL = 50_000
"""Bytes up to which the shared work travels with every batch; larger work goes through a file, once."""
SMALL_FOR_DASK = 2_000_000
"""The same for a cluster, where giving every worker its copy first takes longer than a few batches."""


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
        return [function(block) for block in work] if len(work) < 2 else self.start(function, work)()

    def start(
        self, function: Callable[[Block], Result], blocks: Iterable[Block]
    ) -> Callable[[], list[Result]]:
        """Begin to compute blocks, and return what waits for their results.

        Work that does not need these results can be started meanwhile, so that no worker stands idle.
        """
        work = list(blocks)
        if self.name == "serial" or not work:
            done = [function(block) for block in work]
            return lambda: done
        if self.name == "processes":
            return self._over_processes(function, work)
        return self._over_dask(function, work)

    def _over_processes(
        self, function: Callable[[Block], Result], blocks: list[Block]
    ) -> Callable[[], list[Result]]:
        """Spread batches over the cores of this machine; processes stay for the next call."""
        import joblib

        workers = self.n_jobs if self.n_jobs is not None else joblib.cpu_count()
        folder = tempfile.TemporaryDirectory(prefix="concord-")
        shared = _Shared.of(function, Path(folder.name))
        with joblib.parallel_config(backend="loky", inner_max_num_threads=1):
            begun_by = os.getpid()
            calls = (joblib.delayed(_batch)(shared, some, begun_by) for some in _batches(blocks, workers))
            options = {"batch_size": 1, "pre_dispatch": "all", "return_as": "generator"}
            found = joblib.Parallel(n_jobs=workers, **options)(calls)

        def results() -> list[Result]:
            with folder:
                return _in_order(list(found), len(blocks))

        return results

    def _over_dask(
        self, function: Callable[[Block], Result], blocks: list[Block]
    ) -> Callable[[], list[Result]]:
        """Spread batches over the workers of a cluster; each of them gets the function once."""
        with ExitStack() as connection:
            client = connection.enter_context(_client(self.scheduler))
            workers = max(1, len(client.scheduler_info(n_workers=-1)["workers"]))
            content = _pickled(function)
            shared = (
                _Shared(hashlib.sha256(content).hexdigest(), content, "")
                if len(content) <= SMALL_FOR_DASK
                else client.scatter(_Held(function), broadcast=True, hash=False)
            )
            batches = _batches(blocks, workers)
            futures = client.map(
                partial(_batch, begun_by=os.getpid()), [shared] * len(batches), batches, pure=False
            )
            kept = connection.pop_all()  # the connection stays until the results are there

        def results() -> list[Result]:
            with kept:
                return _in_order(client.gather(futures), len(blocks))

        return results


def _batches(blocks: Sequence[Block], workers: int) -> list[Sequence[Block]]:
    """Deal blocks out like cards: neighbours take about as long, and every batch gets some of each kind."""
    count = min(len(blocks), max(1, workers) * BATCHES_PER_WORKER)
    return [blocks[k::count] for k in range(count)]


def _in_order(batches: Sequence[list[Result]], size: int) -> list[Result]:
    """Return the results of batches in the order of the blocks."""
    return [batches[i % len(batches)][i // len(batches)] for i in range(size)]


class _Held:
    """A function as it is, for workers that keep what they were sent."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def load(self) -> Callable[..., Any]:
        """Return the function."""
        return self.function


@dataclass(frozen=True, slots=True)
class _Shared:
    """A pickled function: itself where it is small, else the file that holds it."""

    key: str
    content: bytes | None
    path: str

    @classmethod
    def of(cls, function: Callable[..., Any], folder: Path) -> "_Shared":
        """Pickle a function, into a file of the folder where it is large."""
        content = _pickled(function)
        key = hashlib.sha256(content).hexdigest()
        if len(content) <= SMALL:
            return cls(key, content, "")
        path = folder / key
        path.write_bytes(content)
        return cls(key, None, str(path))

    def load(self) -> Callable[..., Any]:
        """Return the function; a worker unpickles it once."""
        if _LAST.get("key") != self.key:
            content = Path(self.path).read_bytes() if self.content is None else self.content
            _LAST.update(key=self.key, function=pickle.loads(content))
        function: Callable[..., Any] = _LAST["function"]
        return function


_LAST: dict[str, Any] = {}
"""The work that this process did last, so that its next batch need not load it again."""


def _pickled(function: Callable[..., Any]) -> bytes:
    """Pickle a function as joblib does: functions of a notebook or a lambda by value."""
    try:
        from cloudpickle import dumps
    except ImportError:  # earlier versions of joblib bring their own
        from joblib.externals.cloudpickle import dumps
    content: bytes = dumps(function, protocol=pickle.HIGHEST_PROTOCOL)
    return content


def _batch(shared: _Shared | _Held, blocks: Sequence[Any], begun_by: int) -> list[Any]:
    """Compute one batch of blocks; a process that computes its own keeps its memory as it is."""
    function = shared.load()
    with nullcontext() if begun_by == os.getpid() else _memory_kept():
        return [function(block) for block in blocks]


_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Numbers of glibc's options ``M_TRIM_THRESHOLD`` and ``M_MMAP_THRESHOLD`` for ``mallopt``."""
_USUAL_THRESHOLD = 128 * 1024
"""Both, where nothing else was said (bytes)."""
_KEPT, _LARGEST_KEPT = 256 * 1024**2, 32 * 1024**2
"""Free bytes that a worker keeps while it works, and the largest array that is cut from them."""


@contextmanager
def _memory_kept() -> Iterator[None]:
    """Keep the memory of freed arrays while a worker computes blocks."""
    # A worker holds little else, so that each freed array of a block would go back to the system and come
    # back page by page: a fifth of the time of simulated agents, and four tenths under Dask, which sets
    # ``MALLOC_TRIM_THRESHOLD_``. Where the environment says so, the worker has that setting again after the
    # batch; elsewhere its processes are ours.
    allocator = _glibc()
    if allocator is None:
        yield
        return
    allocator.mallopt(_TRIM_THRESHOLD, _KEPT)
    allocator.mallopt(_MMAP_THRESHOLD, _LARGEST_KEPT)
    own, largest = (os.environ.get(f"MALLOC_{name}_THRESHOLD_", "") for name in ("TRIM", "MMAP"))
    try:
        yield
    finally:
        if own.isdigit():
            allocator.mallopt(_TRIM_THRESHOLD, int(own))
            allocator.mallopt(_MMAP_THRESHOLD, int(largest) if largest.isdigit() else _USUAL_THRESHOLD)


def _glibc() -> Any:
    """Return the C library where it is glibc; None elsewhere (musl, macOS, Windows)."""
    if os.name != "posix":
        return None
    library = ctypes.CDLL(None)
    return library if hasattr(library, "mallopt") else None


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

    References
    ----------
    Rocklin (2015), Proceedings of the 14th Python in Science Conference, 126-132.

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


def chosen_engine(engine: str | Engine) -> Engine:
    """Return an engine that is given by its name or as itself."""
    return get_engine(engine) if isinstance(engine, str) else engine


@contextmanager
def _client(scheduler: str | None) -> Iterator[Any]:
    """Connect to a scheduler for a while, or use the client that is already open."""
    try:
        from distributed import Client, get_client
    except ImportError as error:
        raise MissingExtraError("the engine 'dask'", "dask") from error
    if scheduler is None:
        try:
            current: Any = get_client()
        except ValueError as error:
            message = "the engine 'dask' found no open client; give the scheduler's address, tcp://HOST:PORT"
            raise OptionError(message) from error
        yield current
        return
    try:
        client: Any = Client(scheduler, timeout="10s", set_as_default=False)
    except (OSError, ValueError) as error:
        message = f"no Dask scheduler answers at {scheduler!r}: start one, or correct the address"
        raise OptionError(message) from error
    with client:
        yield client
