"""The embedded model as an Inspect provider: `local/smollm2-135m`, in this process, one thread."""

import secrets
import threading
from typing import Any

import anyio.to_thread
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.tool import ToolChoice, ToolInfo

from concord.asking.weights import NAME, ensure_weights
from concord.errors import MissingExtraError, ModelError

CONTEXT = 4096
DEFAULT_MAX_TOKENS = 512
_STOPS = {"stop": "stop", "length": "max_tokens"}


class LocalAPI(ModelAPI):
    """SmolLM2-135M-Instruct through llama.cpp, loaded once, asked one request at a time."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature that Inspect calls
        threads: int = 1,
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)
        if model_name != NAME:
            raise ModelError(f"local/{model_name} is not known; the embedded model is local/{NAME}")
        self._server = start_server(threads)
        # Two requests at once would share the context between them, and with it their length.
        self._turn = threading.Lock()

    async def generate(
        self, input: list[ChatMessage], tools: list[ToolInfo], tool_choice: ToolChoice, config: GenerateConfig
    ) -> ModelOutput:
        """Ask once; Ctrl-C does not wait for the reply."""
        request = request_of(input, config)
        reply = await anyio.to_thread.run_sync(self._ask, request, abandon_on_cancel=True)
        return output_of(reply, self.model_name)

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        with self._turn:
            reply: dict[str, Any] = self._server.handle_chat_completions(request)
            return reply

    def max_connections(self) -> int:
        """One at a time: a second would only wait."""
        return 1

    def connection_key(self) -> str:
        """Share the limit of connections among all who ask this model."""
        return "local"


@modelapi(name="local")
def local() -> type[ModelAPI]:
    """Return the provider of the embedded model."""
    return LocalAPI


def start_server(threads: int = 1, key: str | None = None) -> Any:
    """Load the model; llama.cpp also listens on a free port of 127.0.0.1 (``listening_address``)."""
    try:
        import xllamacpp
    except ImportError as fault:
        raise MissingExtraError(f"the embedded model local/{NAME}", "live") from fault
    params = xllamacpp.CommonParams()
    params.model.path = str(ensure_weights())
    params.n_ctx = CONTEXT
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.warmup = False
    params.cache_prompt = False  # a cached prefix changes the last digits, and with them replies
    params.cache_ram_mib = 0
    params.verbosity = -1
    # llama.cpp listens whether one wants it or not: with a key that nobody knows and for no web page.
    params.api_keys = [secrets.token_urlsafe(32) if key is None else key]
    # Not "null": that is the origin of a sandboxed frame of any page.
    params.cors_origins = "http://concord.invalid"
    params.cors_credentials, params.cors_origins_explicit, params.ui = False, True, False
    params.model_alias = {NAME}
    params.endpoint_slots = False
    return xllamacpp.Server(params)


def request_of(messages: list[ChatMessage], config: GenerateConfig) -> dict[str, Any]:
    """Return the request that llama.cpp takes."""
    limit = config.max_tokens
    sent = {"temperature": config.temperature, "top_p": config.top_p, "seed": config.seed}
    return {
        "messages": [{"role": message.role, "content": message.text} for message in messages],
        "max_tokens": DEFAULT_MAX_TOKENS if limit is None else limit,
        "cache_prompt": False,
        **{name: value for name, value in sent.items() if value is not None},
    }


def output_of(reply: dict[str, Any], model: str) -> ModelOutput:
    """Turn llama.cpp's reply into Inspect's; a prompt that does not fit is an outcome, not an error."""
    if "error" in reply:
        words = str(reply["error"].get("message", reply["error"]))
        if reply["error"].get("type") == "exceed_context_size_error":
            return ModelOutput.from_content(model, "", stop_reason="model_length", error=words)
        raise ModelError(f"llama.cpp: {words}")
    choice, usage = reply["choices"][0], reply["usage"]
    message = ChatMessageAssistant(content=choice["message"]["content"] or "", model=model, source="generate")
    stop = _STOPS.get(choice["finish_reason"], "unknown")
    return ModelOutput(
        model=model,
        choices=[ChatCompletionChoice(message=message, stop_reason=stop)],
        usage=ModelUsage(
            input_tokens=usage["prompt_tokens"],
            output_tokens=usage["completion_tokens"],
            total_tokens=usage["total_tokens"],
        ),
    )
