"""Entities and relationships as a network: communities that keep their identity.

communities   detect_communities, Communities, Previous: frames in, frames out
graph         modularity, degrees, and the checked graph that the others share
reduction     the graph as Leiden sees it: without leaves, group by group
leiden        Leiden, with anchors to the former communities
identity      which new community is which old one, what happened to it, ids at birth
fingerprints  how an unchanged subgraph is recognised
"""
