"""The tools and resources of a vault over MCP, by stdio or by HTTP."""

# Where `notewell serve` answers agents.
PATH = "/mcp"
