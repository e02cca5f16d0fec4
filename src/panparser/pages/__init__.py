"""Pages: what HTML pages share, in one file or from a server."""
