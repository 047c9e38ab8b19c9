"""The doors to the outside world, one module each: nothing else touches disk, environment or clock."""
