"""python -m graphrag_assets.cli."""

from graphrag_assets.cli import main

main()
