"""`panparser serve`: a server with UDPipe's REST interface; needs the extra `server`."""

from panparser._names import lazy

__all__, __getattr__, __dir__ = lazy(__name__)
