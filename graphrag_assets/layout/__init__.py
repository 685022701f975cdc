"""Vectors as places on a two-dimensional map that stays where it was.

places      lay_out, lay_out_all: keys, vectors and the former map in, places out
neighbours  the nearest neighbours, and how much each point belongs to its own
placing     new points on a map that stands
fitting     a map from nothing: where UMAP starts, and what it is given
umap_learn  umap-learn's optimiser, in a process of its own
"""
