"""Files of any number and size to trees: what is done with sentences, by whom, and what is finished already."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
