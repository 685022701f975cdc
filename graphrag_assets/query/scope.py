"""Communities to look into: the one that a question is limited to, those worth opening next."""

from graphrag_assets.errors import QuestionError
from graphrag_assets.query.reader import Reader


def community_named(reader: Reader, ref: str) -> str:
    """Return the id of a community, from it, its first digits or its report's short id.

    Raises QuestionError if there is none, or several.
    """
    digits = ref.strip().strip("[]").removeprefix("P")
    found = reader.ask("communities_named", id=digits)["id"].to_list() if digits else []
    if not found:
        raise QuestionError(f"No community has the id `{ref}`.")
    if len(found) > 1:
        several = ", ".join(found[:5])
        raise QuestionError(f"Several communities begin with `{ref}`: {several}. Give more digits.")
    return str(found[0])
