"""Questions over HTTP and MCP: the functions of query/, each from one whole version."""
