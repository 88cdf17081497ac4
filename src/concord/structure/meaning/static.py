"""Static embeddings: a text is the mean of its tokens' vectors; no network, no graphics card.

The vectors come with the package `wordllama` (16 MB inside its wheel, 32,000 tokens of mostly European
languages, other scripts character by character or byte by byte), or from a folder that holds one file
`*.safetensors` with a matrix and one `tokenizer*.json`, as `model2vec` writes it.
"""

from collections.abc import Callable
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from concord.errors import MissingExtraError, ModelError

PACKAGE, WEIGHTS, TOKENIZER = "wordllama", "weights/l2_supercat_256.safetensors", "tokenizers/*.json"
Similarity = Callable[[str, str], float | None]


def has_bundled() -> bool:
    """Whether the embedding that needs no download is installed."""
    return all(find_spec(name) is not None for name in (PACKAGE, "tokenizers", "safetensors"))


@lru_cache(maxsize=1)
def bundled_embedding() -> Similarity:
    """Return the similarity by the vectors that come with `wordllama`."""
    found = find_spec(PACKAGE)
    if found is None or not found.submodule_search_locations:
        raise MissingExtraError("the scorer meaning", "meaning")
    root = Path(next(iter(found.submodule_search_locations)))
    tokenizers = sorted(root.glob(TOKENIZER))
    if not (root / WEIGHTS).is_file() or not tokenizers:
        raise ModelError(
            f"the package {PACKAGE} in {root} holds no vectors; install the extra `meaning` anew"
        )
    return _similarity(root / WEIGHTS, tokenizers[0])


@lru_cache(maxsize=2)
def folder_embedding(folder: str) -> Similarity:
    """Return the similarity by vectors in a folder."""
    root = Path(folder)
    weights, tokenizers = sorted(root.glob("*.safetensors")), sorted(root.glob("tokenizer*.json"))
    named = [path for path in tokenizers if path.name == "tokenizer.json"]
    tokenizers = named if named else tokenizers
    if len(weights) != 1 or not tokenizers:
        raise ModelError(
            f"static:{folder}: found {len(weights)} files *.safetensors and {len(tokenizers)} "
            "tokenizer*.json; expected a folder that holds one of each, such as model2vec writes"
        )
    return _similarity(weights[0], tokenizers[0])


def _similarity(weights: Path, tokenizer: Path) -> Similarity:
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer
    except ImportError as fault:
        raise MissingExtraError("static embeddings", "meaning") from fault
    try:
        tables = [table for table in load_file(str(weights)).values() if table.ndim == 2]
        encoder: Any = Tokenizer.from_file(str(tokenizer))
    except Exception as fault:  # noqa: BLE001 - both libraries raise bare exceptions of their own
        raise ModelError(f"{weights.parent}: vectors or tokenizer cannot be read: {fault}") from fault
    if len(tables) != 1:
        raise ModelError(f"{weights.name}: found {len(tables)} matrices, expected one row per token")
    vectors = np.asarray(tables[0], dtype=np.float32)

    @lru_cache(maxsize=4096)
    def embedded(text: str) -> Any:
        ids = encoder.encode(text, add_special_tokens=False).ids
        return None if not ids else vectors[ids].mean(axis=0)

    def similar(reply: str, reference: str) -> float | None:
        first, second = embedded(reply.strip()), embedded(reference.strip())
        if first is None or second is None:
            return None
        size = float(np.linalg.norm(first) * np.linalg.norm(second))
        return None if size == 0 else float(np.clip(first @ second / size, 0.0, 1.0))

    return similar
