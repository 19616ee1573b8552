"""The causes of refusals, worked out from the JSON of a cluster alone, for causes.py, and changes that
would help. Nothing here asks Winnow.

    objects.py      a cluster by its parts, and a question: a pod that is asked about in a cluster
    expected.py     causes as they should be, held against those that are told
    labels.py       selectors: what is valid, what matches, and as a text
    amounts.py      amounts, and what pods request
    nodes.py        taints, conditions, names, features, requirements on nodes' labels, host ports
    resources.py    what a node lacks
    spread.py       topology spread constraints
    affinity.py     affinity and anti-affinity between pods
    claims.py       claims and volumes: in use, missing, on other nodes, in other zones
    attached.py     limits of attached volumes
    rules.py        which rule asks for which of these
    suggestions.py  the changes of "What would help", made in the JSON
    altered.py      the same changes with one less
"""
