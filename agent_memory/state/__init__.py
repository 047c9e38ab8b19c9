"""What cannot be derived again: how far each conversation has been taken, and when which job ran."""
