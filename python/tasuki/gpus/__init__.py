"""Remote GPUs: their key, what a program needs of them, what gates say; ``tasuki.commands.gpus`` shows it."""
