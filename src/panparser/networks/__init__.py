"""Networks: what a neural classifier looks at and how, as data; and how it scores, with numpy alone."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
