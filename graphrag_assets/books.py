"""The books of an index: what was asked of models, published, and made from what.

No asset makes them, and but for `asset_states` they only grow.
"""

import dataframely as dy


class ModelCalls(dy.Schema):
    """Every call to a model, and every reply found in the memo."""

    id = dy.String(primary_key=True, description="Hash of run, asset and number.")
    asset = dy.String(description="Asset that asked.")
    task = dy.String(description="extraction, claims, description, report, embedding …")
    prompt = dy.String(description="Prompt file; empty for embeddings.")
    subject = dy.String(description="Text unit, community … that it was for.")
    model = dy.String(description="litellm model name.")
    prompt_tokens = dy.Int64(description="Tokens in.")
    completion_tokens = dy.Int64(description="Tokens out.")
    cost_usd = dy.Float64(nullable=True, description="Cost; NULL = unknown, never 0 for unknown.")
    seconds = dy.Float64(description="Wall time with retries.")
    tries = dy.Int64(description="Requests sent; 0 if found in the memo.")
    status = dy.String(description="ok, failed, refused, filtered or truncated.")
    reason = dy.String(
        nullable=True, description="Of embeddings: why a text has no vector; NULL if all have one."
    )
    from_memo = dy.Bool(description="Whether the memo had it.")
    estimated = dy.Bool(description="Whether the tokens are our estimate.")
    run_id = dy.String(description="Dagster run.")
    created_at = dy.Datetime(time_zone="UTC", description="When.")


class IndexVersions(dy.Schema):
    """Every published version of the index."""

    version = dy.Int64(primary_key=True, description="1, 2, 3 …")
    created_at = dy.Datetime(time_zone="UTC", description="When it was published.")
    run_id = dy.String(description="Dagster run that made it; empty for a rollback.")
    status = dy.String(description="complete or partial.")
    counts = dy.String(description="JSON object: rows per table.")
    settings = dy.String(description="Fingerprint of the settings.")
    cost_usd = dy.Float64(nullable=True, description="Cost of its run; NULL = unknown.")
    restores = dy.Int64(
        nullable=True, description="Of a rollback: the version whose contents are back."
    )


class IndexChanges(dy.Schema):
    """What each version added, removed and changed."""

    version = dy.Int64(primary_key=True, description="Version that brought the change.")
    kind = dy.String(
        primary_key=True, description="document, entity, relationship, community or report."
    )
    id = dy.String(primary_key=True, description="Id of the thing.")
    change = dy.String(description="added, removed or changed.")
    title = dy.String(description="Its title, so that what is gone still has a name.")


class AssetStates(dy.Schema):
    """What each table was last made from: the memory behind the early cutoff."""

    table = dy.String(primary_key=True, description="The table.")
    fingerprint = dy.String(description="Of its content.")
    recipe = dy.String(description="Of code, prompts, models and settings.")
    inputs = dy.String(description="JSON object: fingerprint per table read.")
    settled = dy.Bool(description="False if rows failed or a check did: the next run tries again.")
