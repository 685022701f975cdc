"""The map of an index as one page: where things stand, what they are, and the texts behind them."""

from graphrag_assets.atlas.page import Page, map_page

__all__ = ["Page", "map_page"]
