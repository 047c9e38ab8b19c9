"""The memory for clients of the Model Context Protocol: tools, resources and a prompt."""
