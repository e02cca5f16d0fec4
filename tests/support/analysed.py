"""A small treebank, and what a parser made of it."""

from __future__ import annotations

SMALL = """\
1	The	the	DET	_	_	2	det	_	_
2	dog	dog	NOUN	_	_	3	nsubj	_	_
3	sees	see	VERB	_	_	0	root	_	_
4	cats	cat	NOUN	_	_	3	obj	_	_
5	.	.	PUNCT	_	_	3	punct	_	_

1	Run	run	VERB	_	_	0	root	_	_
2	home	home	ADV	_	_	1	advmod:loc	_	_

"""
# wrong: the head and label of dog, the label of cats, the tag of home, the head of the full stop (which does not count)
GUESS = (
    SMALL.replace("3\tnsubj", "4\tobj").replace("obj\t_\t_\n5", "nsubj\t_\t_\n5")
    .replace("ADV\t_\t_\t1\tadvmod:loc", "NOUN\t_\t_\t1\tadvmod")
    .replace("3\tpunct", "4\tpunct")
)  # fmt: skip
