"""What an editor's hooks call: one short process, one JSON object, whatever happens."""
