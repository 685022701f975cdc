"""The door to the embedded models: `register()` tells litellm of them.

offline/nlp      answers our prompts by classic language processing
offline/use-m3   embeds: 512 dimensions, 16 languages
"""

CHAT = "nlp"
EMBEDDING = "use-m3"
PROVIDER = "offline"


def register() -> None:
    """Make `offline/…` known to litellm, with prices of zero. Imports litellm."""
    import litellm

    from graphrag_assets.models.offline.custom_llm import OfflineLLM

    providers = litellm.custom_provider_map
    if any(isinstance(item["custom_handler"], OfflineLLM) for item in providers):
        return
    litellm.custom_provider_map = [
        *(item for item in providers if item["provider"] != PROVIDER),
        {"provider": PROVIDER, "custom_handler": OfflineLLM()},
    ]
    free = {"input_cost_per_token": 0.0, "output_cost_per_token": 0.0, "litellm_provider": PROVIDER}
    litellm.register_model(
        {
            f"{PROVIDER}/{CHAT}": {**free, "mode": "chat", "max_tokens": 1_000_000},
            f"{PROVIDER}/{EMBEDDING}": {**free, "mode": "embedding", "output_vector_size": 512},
        }
    )
