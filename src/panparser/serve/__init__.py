"""The server: models over HTTP with UDPipe's interface, and pages."""
